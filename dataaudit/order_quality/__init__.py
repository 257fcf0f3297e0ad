"""How good an order of training is: what it reads twice, how well it is shuffled, which mixture each part of it has.

Every measure streams over the order and keeps a few numbers a sample, a document or a window.
"""
