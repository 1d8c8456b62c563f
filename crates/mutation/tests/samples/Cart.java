package shop;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A cart of a shop. */
public class Cart {
    private static final int DISCOUNT_FROM = 100;
    private final List<Item> items = new ArrayList<>();
    private boolean locked = false;

    record Item(String name, double price, int quantity) {}

    @Deprecated(since = "2", forRemoval = true)
    public boolean add(Item item) {
        if (locked) {
            throw new IllegalStateException("the cart is locked");
        }
        if (item.quantity() <= 0 || item.price() < 0) {
            return false;
        }
        System.out.println("added " + item.name());
        items.add(item);
        notifyAll(item);
        return true;
    }

    public double total() {
        double total = 0;
        for (int index = 0; index < items.size(); index++) {
            Item item = items.get(index);
            total += item.price() * item.quantity();
        }
        return total > DISCOUNT_FROM ? total - 5 : total;
    }

    public Optional<Item> find(String name) {
        return items.stream().filter(item -> item.name().equals(name) && !locked).findFirst();
    }

    public String level(Object other) {
        if (other instanceof Cart cart) {
            return cart.level(null);
        }
        switch (items.size()) {
            case 0:
                return "empty";
            default:
                return "open";
        }
    }

    void lock() {
        try {
            Thread.sleep(1);
        } catch (InterruptedException interrupted) {
            locked = true;
        }
        while (true) {
            if (items.isEmpty()) {
                break;
            }
            items.remove(0);
        }
    }

    private void notifyAll(Item item) {
        assert item != null : "an item";
    }

    private static final long serialVersionUID = 8_061_947L;
}
