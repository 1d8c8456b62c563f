<?php

declare(strict_types=1);

namespace Shop;

use InvalidArgumentException;

require_once __DIR__ . '/item.php';

const DISCOUNT_FROM = 100;

final class Cart
{
    private array $items = [];
    private bool $locked = false;

    public function __construct(private string $currency = 'EUR')
    {
    }

    #[\ReturnTypeWillChange]
    public function add(Item $item): bool
    {
        if ($this->locked) {
            throw new InvalidArgumentException('the cart is locked');
        }
        if ($item->quantity <= 0 || $item->price < 0) {
            return false;
        }
        error_log("added {$item->name}");
        $this->items[] = $item;
        $this->notify($item);
        return true;
    }

    public function total(): float
    {
        $total = 0.0;
        for ($index = 0; $index < count($this->items); $index++) {
            $total += $this->items[$index]->price * $this->items[$index]->quantity;
        }
        return $total > DISCOUNT_FROM ? $total - 5 : $total;
    }

    public function label(): string
    {
        switch (count($this->items)) {
            case 0:
                return 'empty';
            default:
                return count($this->items) . " items in {$this->currency}";
        }
    }

    public function find(string $name): ?Item
    {
        foreach ($this->items as $item) {
            if ($item->name === $name and !$this->locked) {
                return $item;
            }
        }
        return null;
    }

    private function notify(Item $item): void
    {
        array_walk($this->items, fn ($other) => $other->count++);
    }
}
?>
<p><?= htmlspecialchars('total') ?></p>
