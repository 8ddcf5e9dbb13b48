"""The simulated wearer: both logs of a person whose truth is known."""
