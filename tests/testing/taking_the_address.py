"""Run inside a private network: 169.254.169.254 becomes one machine's, is refused to another, and is given back."""

import json
import subprocess

from forewarn.testing import CannotReach, Forewarn
from forewarn.testing.metadata import poll

if __name__ == "__main__":
    with Forewarn.start() as kit:
        alone, another = kit.vm("alone"), kit.vm("another")
        event = alone.schedule("Reboot")
        with alone.reached("address") as place:
            print("alone:", poll(place.url).document["Events"][0]["Resources"])
            try:
                another.reached("address").__enter__()
            except CannotReach as error:
                print("again:", str(error).rpartition(": ")[2].partition(";")[0])
        shown = subprocess.run(["ip", "-json", "address", "show", "dev", "lo"], capture_output=True, check=True).stdout
        print("after:", sum(at["local"] == "169.254.169.254" for at in json.loads(shown)[0]["addr_info"]), "addresses")
