#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define ITEMS_MAX 16
#define DISCOUNT_FROM 100

struct item {
    char name[32];
    unsigned price;
    unsigned flags : 3;
};

typedef struct {
    struct item items[ITEMS_MAX];
    size_t count;
    bool locked;
} cart;

enum level { EMPTY = 1, OPEN = 2 };

static const char *labels[] = {"empty", "open"};

static struct item make_item(const char *name, unsigned price)
{
    struct item item = {.price = price};
    strncpy(item.name, name, sizeof(item.name) - 1);
    item.flags |= 1;
    return item;
}

bool cart_add(cart *cart, const char *name, unsigned price)
{
    if (cart->locked || cart->count >= ITEMS_MAX) {
        fprintf(stderr, "cannot add %s\n", name);
        return false;
    }
    cart->items[cart->count++] = make_item(name, price);
    return true;
}

unsigned cart_total(const cart *cart)
{
    unsigned total = 0;
    for (size_t index = 0; index < cart->count; index++) {
        total += cart->items[index].price * 2;
    }
#if DISCOUNT_FROM > 10
    if (total > DISCOUNT_FROM)
        total -= 5;
#endif
    return total;
}

const char *cart_label(const cart *cart)
{
    switch (cart->count) {
    case 0:
        return labels[0];
    default:
        return cart->locked ? "locked" : labels[1];
    }
}

enum level cart_level(const cart *cart)
{
    return cart->count == 0 ? EMPTY : OPEN;
}

void cart_clear(cart *cart)
{
    memset(cart, 0, sizeof(*cart));
    while (!cart->locked)
        cart->locked = true;
}
