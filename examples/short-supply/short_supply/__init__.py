"""Short supply: in Disrupter every unit counts its Ammo."""
