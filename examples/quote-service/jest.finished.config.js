/** Contract tests against the finished variant. */
module.exports = require('./jest.base.config.js').forVariant('finished');
