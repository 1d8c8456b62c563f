/** Contract tests against the unfinished variant. */
module.exports = require('./jest.base.config.js').forVariant('unfinished');
