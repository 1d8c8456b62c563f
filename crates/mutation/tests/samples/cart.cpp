#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace shop {

template <typename T, int Size = 4>
struct Ring {
    T values[Size];
};

struct Item {
    std::string name;
    double price = 0.5;
    int quantity = 1;
};

class Cart {
public:
    explicit Cart(bool locked = false) : locked_(locked) {}

    bool add(const Item &item);
    double total() const;

    [[deprecated("use total")]] bool empty() const { return items_.empty(); }

    const Item *find(const std::string &name) const
    {
        for (const auto &item : items_) {
            if (item.name == name && !locked_) {
                return &item;
            }
        }
        return nullptr;
    }

    std::string label() const
    {
        if (auto count = items_.size(); count > 1) {
            return "many";
        }
        return items_.empty() ? "empty" : std::string("one");
    }

private:
    static_assert(sizeof(int) >= 4, "an int of four bytes");
    std::vector<Item> items_;
    Ring<int, 8> sizes_{};
    bool locked_;
};

bool Cart::add(const Item &item)
{
    if (locked_ || item.quantity <= 0) {
        std::cerr << "cannot add " << item.name << '\n';
        return false;
    }
    items_.push_back(item);
    return true;
}

double Cart::total() const
{
    double total = 0;
    for (std::size_t index = 0; index < items_.size(); ++index) {
        total += items_[index].price * items_[index].quantity;
    }
    auto discount = [](double value) { return value > 100 ? 5.0 : 0.0; };
    return total - discount(total);
}

std::unique_ptr<Cart> make(int flags)
{
    while (auto next = flags & 3) {
        flags -= next << 1;
    }
    return std::make_unique<Cart>(flags != 0);
}

} // namespace shop
