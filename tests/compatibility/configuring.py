"""What an administrator types once on a new cluster, after the page of the agent.

`python -m tests.compatibility.configuring AGENT 1|2 SECONDS FILE`. Two resources: the agent, on the first node or on
both, and `app`, which prefers the first node and stands for whatever the cluster runs. It is Pacemaker's own Dummy,
whose state is a file: there while it runs on this node, gone when it does not.
"""

import subprocess
import sys
import time

WORK = "app-runs-here"
PROPERTIES = {
    "stonith-enabled": "false",
    "no-quorum-policy": "ignore",
    "dc-deadtime": "5s",
    "node-health-strategy": "custom",  # the health that azure-events-az writes is read by the rule below
}
CONFIGURATION = """\
<configuration>
<resources>
  <primitive id="app" class="ocf" provider="pacemaker" type="Dummy">
    <instance_attributes id="app-parameters">
      <nvpair id="app-state" name="state" value="{file}"/>
    </instance_attributes>
  </primitive>
  <clone id="health-azure-events-clone">
    <meta_attributes id="health-azure-events-clone-meta">
      <nvpair id="health-azure-events-unhealthy" name="allow-unhealthy-nodes" value="true"/>
    </meta_attributes>
    <primitive id="health-azure-events" class="ocf" provider="heartbeat" type="{agent}">
      <meta_attributes id="health-azure-events-meta">
        <nvpair id="health-azure-events-failures" name="failure-timeout" value="120s"/>
      </meta_attributes>
      <operations>
        <op id="health-azure-events-monitor" name="monitor" interval="{interval}s" timeout="240s"/>
      </operations>
    </primitive>
  </clone>
</resources>
<constraints>
  <rsc_location id="app-at-home" rsc="app" node="node-1" score="100"/>
{alone}  <rsc_location id="azure-health" rsc-pattern="!health-.*">
    <rule id="azure-health-rule" score-attribute="#health-azure">
      <expression id="azure-health-defined" attribute="#uname" operation="defined"/>
    </rule>
  </rsc_location>
</constraints>
</configuration>"""
ALONE = """\
  <rsc_location id="agent-at-home" rsc="health-azure-events-clone" node="node-2" score="-INFINITY"
      resource-discovery="never"/>
"""


def main(agent: str, agents: str, interval: str, file: str) -> None:
    for name, value in PROPERTIES.items():
        _until("crm_attribute", "--type", "crm_config", "--name", name, "--update", value)
    while "Online: [ node-1 node-2 ]" not in _said("crm_mon", "--one-shot"):
        time.sleep(0.5)
    for node in ("node-1", "node-2"):
        _until("crm_attribute", "--node", node, "--name", "#health-azure", "--update", "0")
    everything = CONFIGURATION.format(agent=agent, interval=interval, file=file, alone=ALONE if agents == "1" else "")
    _until("cibadmin", "--modify", "--allow-create", "--scope", "configuration", "--xml-text", everything)
    print(f"the cluster runs, with {agent} every {interval} s", flush=True)


def _until(*command: str) -> None:
    while subprocess.run(command, capture_output=True, check=False).returncode != 0:
        time.sleep(0.5)


def _said(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


if __name__ == "__main__":
    main(*sys.argv[1:])
