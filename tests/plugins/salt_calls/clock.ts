import type { CallScenario } from "./scenario.ts";

export const CLOCK: CallScenario[] = [
  {
    name: "system and timezone: of this host",
    live: "clock and zone are those of one machine",
    programs: ["shutdown"],
    calls: [
      ["system.get_system_date"],
      ["system.get_system_date", "'+0000'"],
      ["system.get_system_date", "+0230"],
      ["system.get_system_time", "bad"],
      ["system.set_system_date", "bad"],
      ["system.set_system_time", "bad"],
      ["system.get_computer_name"],
      ["system.get_reboot_required_witnessed"],
      ["system.has_settable_hwclock"],
      ["timezone.get_offset"],
      ["timezone.get_zonecode"],
      ["timezone.zone_compare", "UTC"],
      ["timezone.zone_compare", "Europe/Berlin"],
      ["timezone.zone_compare", "Nope/Zone"],
    ],
  },
];
