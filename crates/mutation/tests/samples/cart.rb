# frozen_string_literal: true

require "json"

module Shop
  DISCOUNT_FROM = 100

  Item = Struct.new(:name, :price, :quantity)

  class Cart
    attr_reader :items, :locked

    def initialize(currency = "EUR")
      @items = []
      @locked = false
      @currency = currency
    end

    def add(item)
      raise ArgumentError, "the cart is locked" if @locked
      return false if item.quantity <= 0 || item.price.negative?

      puts "added #{item.name}"
      notify(item)
      @items << item
      true
    end

    def total
      total = 0
      @items.each do |item|
        total += item.price * item.quantity
      end
      total > DISCOUNT_FROM ? total - 5 : total
    end

    def label
      if @items.empty?
        "empty"
      else
        "#{@items.size} items"
      end
    end

    def find(name)
      @items.find { |item| item.name == name and !@locked }
    end

    def self.load(text)
      values = JSON.parse(text)
      cart = new
      cart.add(Item.new(*values)) unless values.nil?
      cart
    end

    def lock!
      until @locked
        @locked = true
      end
      @count ||= 0
    end

    private

    def notify(item)
      item.name =~ /pen/
    end
  end
end

if __FILE__ == $0
  puts Shop::Cart.new.total
end
