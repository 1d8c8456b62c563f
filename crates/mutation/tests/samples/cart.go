// Package cart is a cart of a shop.
package cart

import (
	"errors"
	"fmt"
	"log"
	"strings"
)

const discountFrom = 100

// Item is what is sold.
type Item struct {
	Name     string `json:"name"`
	Price    float64
	Quantity int
}

// Cart holds items.
type Cart struct {
	items  []Item
	locked bool
	sizes  [4]int
}

// Add adds an item.
func (c *Cart) Add(item Item) error {
	if c.locked {
		return errors.New("the cart is locked")
	}
	if item.Quantity <= 0 || item.Price < 0 {
		return fmt.Errorf("not for sale: %s", item.Name)
	}
	log.Printf("added %s", item.Name)
	c.items = append(c.items, item)
	c.count(item)
	return nil
}

func (c *Cart) count(item Item) {
	size := item.Quantity % 4
	c.sizes[size]++
}

// Total is the price of everything.
func (c *Cart) Total() float64 {
	total := 0.0
	for i := 0; i < len(c.items); i++ {
		total += c.items[i].Price * float64(c.items[i].Quantity)
	}
	if total > discountFrom {
		return total - 5
	}
	return total
}

// Find returns the first item of a name.
func (c *Cart) Find(name string) (Item, bool) {
	for _, item := range c.items {
		if strings.EqualFold(item.Name, name) {
			return item, true
		}
	}
	return Item{}, false
}

// Level names the size of a cart.
func Level(c *Cart) string {
	switch {
	case c.Total() == 0:
		return "empty"
	case c.locked && len(c.items) > 1:
		return "closed"
	}
	level := "open"
	return level
}

// Lock locks a cart.
func Lock(c *Cart) {
	c.locked = true
	defer fmt.Println("locked")
	notify(c)
}

func notify(c *Cart) {
	count := len(c.items)
	fmt.Println(count)
}
