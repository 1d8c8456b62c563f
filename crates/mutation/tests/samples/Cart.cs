using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

namespace Shop
{
    public record Item(string Name, decimal Price, int Quantity = 1);

    [Serializable]
    public class Cart
    {
        private const int DiscountFrom = 100;
        private readonly List<Item> items = new();
        private bool locked = false;

        public bool IsEmpty => items.Count == 0;

        public string Label
        {
            get { return IsEmpty ? "empty" : $"{items.Count} items"; }
        }

        [Obsolete("use Put")]
        public bool Add(Item item)
        {
            if (locked)
            {
                throw new InvalidOperationException("the cart is locked");
            }
            if (item.Quantity <= 0 || item.Price < 0)
            {
                return false;
            }
            Console.WriteLine("added " + item.Name);
            items.Add(item);
            return true;
        }

        public decimal Total()
        {
            decimal total = 0;
            for (int index = 0; index < items.Count; index++)
            {
                total += items[index].Price * items[index].Quantity;
            }
            return total > DiscountFrom ? total - 5 : total;
        }

        public Item? Find(string name)
        {
            return items.FirstOrDefault(item => item.Name == name && !locked);
        }

        public async Task<int> CountAsync(object other)
        {
            if (other is Cart cart)
            {
                return cart.items.Count;
            }
            await Task.Delay(1);
            switch (items.Count)
            {
                case 0:
                    return 1;
                default:
                    return items.Count;
            }
        }

        public int Level() => items.Count > 10 ? 2 : 1;
    }
}
