//! `referee order`: the orders of the queue.

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::order_queue::OrderQueue;
use referee_model::exit_code;
use referee_model::order_list::LIST;
use referee_report::human;

use crate::args::PlainFormat;
use crate::args::order::{OrderCancel, OrderCommand, OrderPage};
use crate::output;

pub(super) fn execute(context: &Context, arguments: &OrderCommand) -> Result<u8, EngineError> {
    let queue = OrderQueue::new(context)?;
    match arguments {
        OrderCommand::List(arguments) => list(context, &queue, arguments),
        OrderCommand::Cancel(arguments) => cancel(&queue, arguments),
    }
}

fn list(context: &Context, queue: &OrderQueue, arguments: &OrderPage) -> Result<u8, EngineError> {
    let list = queue.list(arguments.limit, arguments.after.clone())?;
    output::document(
        arguments.format,
        || LIST.encode(&list),
        |out| human::orders::list(&list, &context.terminal.stdout, out),
    )?;
    if let (PlainFormat::Human, Some(next)) = (arguments.format, &list.next) {
        output::aside(format!("there are more: --after {next}\n").as_bytes())?;
    }
    Ok(exit_code::PASSED)
}

fn cancel(queue: &OrderQueue, arguments: &OrderCancel) -> Result<u8, EngineError> {
    let order = arguments.order;
    if !queue.cancel(order, arguments.reason.clone())? {
        return Err(EngineError::refused(format!("no such order is open: {order}; `referee order list` lists them")));
    }
    output::aside(format!("order {order} is cancelled\n").as_bytes())?;
    Ok(exit_code::PASSED)
}
