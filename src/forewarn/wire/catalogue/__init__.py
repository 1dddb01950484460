"""What Azure would answer about itself: places, resource types, sizes, images.

Small tables and the bodies made of them, so that the real clients find what they look up before they create anything.
Whoever asks for one thing that is not here gets None; which error that is, the HTTP layer knows.
"""

from forewarn.wire.catalogue.images import (
    IMAGES,
    Image,
    alias_document,
    find_image,
    image_offers,
    image_publishers,
    image_skus,
    image_version,
    image_versions,
)
from forewarn.wire.catalogue.locations import LOCATIONS, Location, find_location, locations
from forewarn.wire.catalogue.providers import provider, provider_type, providers
from forewarn.wire.catalogue.sizes import SIZES, Size, find_size, skus, usages, vm_sizes

__all__ = [
    "IMAGES",
    "LOCATIONS",
    "SIZES",
    "Image",
    "Location",
    "Size",
    "alias_document",
    "find_image",
    "find_location",
    "find_size",
    "image_offers",
    "image_publishers",
    "image_skus",
    "image_version",
    "image_versions",
    "locations",
    "provider",
    "provider_type",
    "providers",
    "skus",
    "usages",
    "vm_sizes",
]
