"""A cart of a shop."""

import logging
from dataclasses import dataclass, field

logger = logging.getLogger(__name__)
DISCOUNT_FROM = 100
CURRENCY = "EUR"


@dataclass(frozen=True)
class Item:
    """What is sold."""

    name: str
    price: float = 0.0
    quantity: int = 1


@dataclass
class Cart:
    items: list[Item] = field(default_factory=list)
    locked: bool = False

    def add(self, item: Item) -> None:
        """Add an item, unless the cart is locked."""
        if self.locked:
            raise ValueError("the cart is locked")
        if item.quantity <= 0 or item.price < 0:
            raise ValueError(f"not for sale: {item.name}")
        logger.debug("added %s", item.name)
        self.items.append(item)

    def total(self, voucher: "str | None" = None) -> float:
        total = 0.0
        for item in self.items:
            total += item.price * item.quantity
        if voucher is not None and voucher in ("SPRING", "SUMMER"):
            total = total * 0.9
        return total if total >= 1 else 0.0

    def label(self) -> str:
        if not self.items:
            return "empty"
        return f"{len(self.items)} items, {self.total():.2f} " + CURRENCY

    def is_discounted(self) -> bool:
        return self.total() > DISCOUNT_FROM

    def find(self, name: str) -> Item | None:
        matches = [item for item in self.items if item.name == name]
        while len(matches) > 1:
            matches.pop()
        return matches[0] if matches else None


def test_total() -> None:
    cart = Cart()
    cart.add(Item("pen", 2.0, 3))
    assert cart.total() == 6.0


if __name__ == "__main__":
    print(Cart().total())
