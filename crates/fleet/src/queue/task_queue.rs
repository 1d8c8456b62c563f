//! Names of task queues. An order waits in the queue of exactly its labels; a worker asks for orders in the queues of all
//! subsets of its own.

use std::collections::BTreeSet;

use referee_model::id::WorkerLabel;
use referee_model::order_protocol::OrderFailureKind;

use super::error::QueueError;

/// Maximum number of labels of a worker, and of an order: each one doubles the number of queues.
const LABELS_MAX: usize = 4;

/// The queue of orders without labels.
const ANY: &str = "referee";

/// Returns the queue of an order.
///
/// # Errors
/// Fails for more labels than a worker can have.
pub(super) fn of_order(labels: &BTreeSet<WorkerLabel>) -> Result<String, QueueError> {
    check(labels)?;
    Ok(name(labels.iter()))
}

/// Returns the queues that a worker asks for orders.
///
/// # Errors
/// Fails for more labels than a worker can have.
pub(super) fn of_worker(labels: &BTreeSet<WorkerLabel>) -> Result<Vec<String>, QueueError> {
    check(labels)?;
    let subsets = 0..1_usize << labels.len();
    Ok(subsets
        .map(|subset| {
            name(labels.iter().enumerate().filter(|(index, _)| subset >> index & 1 == 1).map(|(_, label)| label))
        })
        .collect())
}

/// Returns the labels of the orders in a queue. None: it is none of Referee's.
pub(super) fn labels(queue: &str) -> Option<BTreeSet<WorkerLabel>> {
    let labels = queue.strip_prefix(ANY)?;
    if labels.is_empty() {
        return Some(BTreeSet::new());
    }
    labels.strip_prefix('.')?.split('+').map(|label| WorkerLabel::parse(label).ok()).collect()
}

fn check(labels: &BTreeSet<WorkerLabel>) -> Result<(), QueueError> {
    match labels.len() {
        0..=LABELS_MAX => Ok(()),
        count => Err(QueueError::new(
            OrderFailureKind::Address,
            format!("{count} labels are too many: workers and orders have at most {LABELS_MAX}"),
        )),
    }
}

/// Joins labels, which are sorted and contain neither `.` nor `+`.
fn name<'label>(labels: impl Iterator<Item = &'label WorkerLabel>) -> String {
    let labels: Vec<&str> = labels.map(WorkerLabel::as_str).collect();
    if labels.is_empty() { ANY.to_owned() } else { format!("{ANY}.{}", labels.join("+")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(labels: &[&str]) -> BTreeSet<WorkerLabel> {
        labels.iter().map(|label| WorkerLabel::parse(*label).unwrap()).collect()
    }

    #[test]
    fn an_order_waits_where_every_worker_that_has_its_labels_asks_and_no_other_one() {
        let all = ["any", "gpu", "linux", "x"];
        let sets: Vec<_> = (0..16)
            .map(|set: usize| {
                let chosen: Vec<&str> = (0..4).filter(|bit| set >> bit & 1 == 1).map(|bit| all[bit]).collect();
                labels(&chosen)
            })
            .collect();
        for order in &sets {
            let queue = of_order(order).unwrap();
            assert_eq!(super::labels(&queue).as_ref(), Some(order));
            for worker in &sets {
                assert_eq!(
                    of_worker(worker).unwrap().contains(&queue),
                    order.is_subset(worker),
                    "{order:?} {worker:?}"
                );
            }
        }
    }

    #[test]
    fn queues_are_named_after_sorted_labels() {
        assert_eq!(of_order(&labels(&[])).unwrap(), "referee");
        assert_eq!(of_order(&labels(&["linux", "gpu"])).unwrap(), "referee.gpu+linux");
        assert_eq!(
            of_worker(&labels(&["linux", "gpu"])).unwrap(),
            ["referee", "referee.gpu", "referee.linux", "referee.gpu+linux"]
        );
        for other in ["", "refereeing", "referee.", "referee.A", "referee.a+", "other.a"] {
            assert_eq!(super::labels(other), None, "{other}");
        }
        let error = of_worker(&labels(&["a", "b", "c", "d", "e"])).unwrap_err();
        assert_eq!(error.to_string(), "5 labels are too many: workers and orders have at most 4");
    }
}
