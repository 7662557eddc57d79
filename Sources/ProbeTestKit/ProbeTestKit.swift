import Probes
