//! A cart of a shop.

use std::collections::BTreeMap;

const DISCOUNT_FROM: u32 = 100;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Item {
    pub name: String,
    pub price: u32,
    pub quantity: u8,
}

#[derive(Debug, Default)]
pub struct Cart {
    items: Vec<Item>,
    sizes: BTreeMap<u8, usize>,
    locked: bool,
}

impl Cart {
    pub fn new(locked: bool) -> Self {
        Self { locked, ..Self::default() }
    }

    pub fn add(&mut self, item: Item) -> Result<(), String> {
        if self.locked {
            return Err("the cart is locked".to_owned());
        }
        if item.quantity == 0 || item.price > 255 {
            return Err(format!("not for sale: {}", item.name));
        }
        println!("added {}", item.name);
        *self.sizes.entry(item.quantity).or_default() += 1;
        self.items.push(item);
        Ok(())
    }

    pub fn total(&self) -> u32 {
        let mut total = 0;
        for item in &self.items {
            total += item.price * u32::from(item.quantity);
        }
        if total >= DISCOUNT_FROM { total - 5 } else { total }
    }

    pub fn find(&self, name: &str) -> Option<&Item> {
        self.items.iter().find(|item| item.name == name && !self.locked)
    }

    pub fn label(&self) -> String {
        match self.items.len() {
            0 => String::from("empty"),
            1..=9 => "few".to_string(),
            _ => "many".to_string(),
        }
    }

    pub fn first(&self) -> Item {
        let Some(first) = self.items.first() else { return Item::default() };
        first.clone()
    }
}

pub fn is_even(number: i64) -> bool {
    number % 2 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals() {
        let mut cart = Cart::new(false);
        cart.add(Item { name: "pen".to_owned(), price: 2, quantity: 3 }).unwrap();
        assert_eq!(cart.total(), 6);
    }
}
