//! Estimated effort for a debt item: a fixed table, so that the same failure always has the same estimate.

use referee_model::debt::DebtCategory;

/// Ranges of hours, shortest first.
const HOURS: [&str; 7] =
    ["0.5-1 hours", "1-2 hours", "2-4 hours", "4-8 hours", "8-16 hours", "16-24 hours", "24-40 hours"];

/// Estimates an item by its category and by how often it occurs.
///
/// | category                                                        | once  | 2 to 5 | 6 to 20 | more  |
/// |-----------------------------------------------------------------|-------|--------|---------|-------|
/// | REFACTOR                                                        | 0.5-1 | 1-2    | 2-4     | 4-8   |
/// | VALIDATION_MISSING, ERROR_HANDLING_MISSING, INTEGRATION_FAILURE | 1-2   | 2-4    | 4-8     | 8-16  |
/// | BUSINESS_LOGIC_ERROR, PERFORMANCE_ISSUE, DATABASE_SCHEMA_ISSUE, SECURITY_VULNERABILITY | 2-4 | 4-8 | 8-16 | 16-24 |
/// | API_ENDPOINT_MISSING                                            | 4-8   | 8-16   | 16-24   | 24-40 |
pub(super) fn estimate(category: DebtCategory, occurrences: u64) -> &'static str {
    let first = match category {
        DebtCategory::Refactor => 0,
        DebtCategory::ValidationMissing | DebtCategory::ErrorHandlingMissing | DebtCategory::IntegrationFailure => 1,
        DebtCategory::BusinessLogicError
        | DebtCategory::PerformanceIssue
        | DebtCategory::DatabaseSchemaIssue
        | DebtCategory::SecurityVulnerability => 2,
        DebtCategory::ApiEndpointMissing => 3,
    };
    let more = match occurrences {
        0 | 1 => 0,
        2..=5 => 1,
        6..=20 => 2,
        _ => 3,
    };
    HOURS.get(first + more).copied().unwrap_or("24-40 hours")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_those_of_the_table() {
        let rows = [
            (DebtCategory::Refactor, ["0.5-1", "1-2", "2-4", "4-8"]),
            (DebtCategory::ValidationMissing, ["1-2", "2-4", "4-8", "8-16"]),
            (DebtCategory::ErrorHandlingMissing, ["1-2", "2-4", "4-8", "8-16"]),
            (DebtCategory::IntegrationFailure, ["1-2", "2-4", "4-8", "8-16"]),
            (DebtCategory::BusinessLogicError, ["2-4", "4-8", "8-16", "16-24"]),
            (DebtCategory::PerformanceIssue, ["2-4", "4-8", "8-16", "16-24"]),
            (DebtCategory::DatabaseSchemaIssue, ["2-4", "4-8", "8-16", "16-24"]),
            (DebtCategory::SecurityVulnerability, ["2-4", "4-8", "8-16", "16-24"]),
            (DebtCategory::ApiEndpointMissing, ["4-8", "8-16", "16-24", "24-40"]),
        ];
        for (category, row) in rows {
            for (occurrences, hours) in [1, 5, 20, u64::MAX].into_iter().zip(row) {
                assert_eq!(estimate(category, occurrences), format!("{hours} hours"), "{category:?} {occurrences}");
            }
        }
        assert_eq!(estimate(DebtCategory::Refactor, 0), "0.5-1 hours");
    }
}
