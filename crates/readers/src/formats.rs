//! Output formats shared by many tools, one file each.

mod finding_report;

mod test_report;
mod xml_findings;

pub(crate) mod annotations;

pub(crate) mod checkstyle;

pub(crate) mod cppcheck_xml;

pub(crate) mod ctrf;

pub(crate) mod generic;
pub(crate) mod gitlab_codequality;

pub(crate) mod junit;

pub(crate) mod nunit;

pub(crate) mod pmd_xml;

pub(crate) mod rdjson;

pub(crate) mod sarif;

pub(crate) mod spotbugs_xml;

pub(crate) mod trx;

pub(crate) mod xunit;

#[cfg(test)]
pub(crate) use finding_report::tests::shown;
