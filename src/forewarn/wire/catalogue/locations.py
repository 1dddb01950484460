"""The regions: a dozen of Azure's, and `local`, where the machines of a fleet file are unless it says otherwise."""

from typing import Any

from msgspec import Struct

Json = dict[str, Any]


class Location(Struct, frozen=True):
    name: str
    display_name: str
    geography_group: str
    physical_location: str
    latitude: str
    longitude: str
    paired: str = ""
    zones: tuple[str, ...] = ("1", "2", "3")


LOCATIONS = (
    Location("eastus", "East US", "US", "Virginia", "37.3719", "-79.8164", "westus"),
    Location("eastus2", "East US 2", "US", "Virginia", "36.6681", "-78.3889", "centralus"),
    Location("westus", "West US", "US", "California", "37.783", "-122.417", "eastus", ()),
    Location("westus2", "West US 2", "US", "Washington", "47.233", "-119.852", "westcentralus"),
    Location("centralus", "Central US", "US", "Iowa", "41.5908", "-93.6208", "eastus2"),
    Location("northeurope", "North Europe", "Europe", "Ireland", "53.3478", "-6.2597", "westeurope"),
    Location("westeurope", "West Europe", "Europe", "Netherlands", "52.3667", "4.9", "northeurope"),
    Location("uksouth", "UK South", "UK", "London", "50.941", "-0.799", "ukwest"),
    Location("germanywestcentral", "Germany West Central", "Europe", "Frankfurt", "50.110924", "8.682127"),
    Location("japaneast", "Japan East", "Asia Pacific", "Tokyo, Saitama", "35.68", "139.77", "japanwest"),
    Location("southeastasia", "Southeast Asia", "Asia Pacific", "Singapore", "1.283", "103.833", "eastasia"),
    Location("australiaeast", "Australia East", "Asia Pacific", "New South Wales", "-33.86", "151.2094"),
    Location("local", "Local", "Local", "Here", "0", "0"),
)

_BY_NAME = {location.name: location for location in LOCATIONS}


def find_location(text: str) -> Location | None:
    """By name or display name in any case: `eastus`, `East US`."""
    return _BY_NAME.get(text.replace(" ", "").lower())


def locations(subscription: str) -> Json:
    return {"value": [_body(subscription, location) for location in LOCATIONS]}


def _body(subscription: str, location: Location) -> Json:
    prefix = f"/subscriptions/{subscription}/locations"
    body: Json = {
        "id": f"{prefix}/{location.name}",
        "name": location.name,
        "type": "Region",
        "displayName": location.display_name,
        "regionalDisplayName": f"({location.geography_group}) {location.display_name}",
        "metadata": {
            "regionType": "Physical",
            "regionCategory": "Recommended",
            "geographyGroup": location.geography_group,
            "longitude": location.longitude,
            "latitude": location.latitude,
            "physicalLocation": location.physical_location,
            "pairedRegion": [{"name": location.paired, "id": f"{prefix}/{location.paired}"}] if location.paired else [],
        },
    }
    if location.zones:
        body["availabilityZoneMappings"] = [
            {"logicalZone": zone, "physicalZone": f"{location.name}-az{zone}"} for zone in location.zones
        ]
    return body
