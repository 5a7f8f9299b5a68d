"""The names with two underscores, for files that import them."""

from brine_helper import current

__salt__ = current.host().functions("modules")
__opts__ = current.host().options()
__grains__ = current.host().grains()
__pillar__ = current.host().pillar()
__context__ = current.host().context()
__utils__ = current.host().utilities()
