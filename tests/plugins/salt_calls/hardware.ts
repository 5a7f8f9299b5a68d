import type { CallScenario } from "./scenario.ts";

const DISK = `P: /devices/pci0000:00/0000:00:02.5/ata3/host2/block/sda
M: sda
N: sda
L: 0
S: disk/by-id/one
S: disk/by-path/two
E: DEVPATH=/devices/pci0000:00/0000:00:02.5/ata3/host2/block/sda
E: MAJOR=8
E: MINOR=0
E: RATE=7.5
E: SERIAL=00012
E: EXP=1e5
E: WORD=a=b
noise`;

/** What udev and the firmware know. */
export const UDEV: CallScenario[] = [
  {
    name: "udev: a device, and all",
    standIns: {
      udevadm: {
        "info --export --query=all --name=/dev/sda": DISK,
        "info --export --query=all --path=/sys/block/sda": DISK,
        "info --export --query=all --name=none": { err: 'Unknown device "none"', code: 1 },
        "info --export-db": `${DISK}\n\nP: /devices/virtual/x\nE: A=1\nE: B=2\n\n\n`,
      },
    },
    calls: [
      ["udev.info", "/dev/sda"],
      ["udev.info", "/sys/block/sda"],
      ["udev.info", "none"],
      ...["env", "name", "path", "links"].map((name) => [`udev.${name}`, "/dev/sda"]),
      ["udev.env", "none"],
      ["udev.exportdb"],
    ],
  },
];

const FIRMWARE = `# dmidecode 3.4
Getting SMBIOS data from sysfs.
SMBIOS 2.8 present.

Handle 0x0001, DMI type 1, 27 bytes
System Information
	Manufacturer: QEMU
	Product Name: 12345
	Version: pc-i440fx-7.2
	Serial Number: Not Specified
	UUID: 4c4c4544-0042-3510-8052-b4c04f4e3132
	Wake-up Type: Power Switch
	SKU Number: Not Specified

Handle 0x0004, DMI type 4, 42 bytes
Processor Information
	Socket Designation: CPU 0
	Flags:
		FPU (Floating-point unit on-chip)
		VME, DE
	Core Count: 4
	Voltage: Unknown
	Header and Data:
		04 2A
	Cache Handles: a, b
		0x0005
		0x0006
	Asset Tag: None
	Part Number: None

Handle 0x0020, DMI type 32, 11 bytes
System Boot Information
	Status: Not Specified

Handle 0x007F, DMI type 127, 4 bytes
End Of Table

`;

export const SMBIOS: CallScenario[] = [
  {
    name: "smbios: recorded firmware",
    standIns: {
      dmidecode: {
        "": FIRMWARE,
        "-t 4": FIRMWARE,
        "-s system-uuid": "4c4c4544-0042-3510-8052-b4c04f4e3132",
        "-s bad-uuid": "not settable",
        "-s system-serial-number": "Not Specified",
        "-s system-version": "# comment\npc-1",
        "-s baseboard-asset-tag": "To Be Filled By O.E.M.",
        "-s chassis-serial-number": "0123456789",
        "-s bios-vendor": { err: "/dev/mem: Permission denied", code: 1 },
        "-s none": { err: "Invalid string keyword: none", code: 2 },
      },
    },
    calls: [
      ...[
        "system-uuid",
        "bad-uuid",
        "system-serial-number",
        "system-version",
        "baseboard-asset-tag",
        "chassis-serial-number",
        "bios-vendor",
        "none",
      ].flatMap((name) => [["smbios.get", name], ["smbios.get", name, "clean=False"]]),
      ["smbios.records"],
      ["smbios.records", "4"],
      ["smbios.records", "4", "[core_count, flags]"],
      ["smbios.records", "4", "core_count,flags"],
    ],
  },
];
