"""The parts of the system lab: from Debian package names to a scenario's exit status.

Read in this order: debian (which packages), deb (their files), modules and wwan_hwsim (the
kernel's side), image (the guest's root), payload (one run's additions), machine (the run itself).
"""
