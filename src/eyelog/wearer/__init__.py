"""The simulated wearer: both logs of a made-up person, and the truth behind them."""
