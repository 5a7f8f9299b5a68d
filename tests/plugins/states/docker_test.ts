import { states as container } from "../../../src/plugins/states/docker_container.ts";
import { states as image } from "../../../src/plugins/states/docker_image.ts";
import { states as volume } from "../../../src/plugins/states/docker_volume.ts";
import { replayStates } from "../../support/recorded_states.ts";

await replayStates("docker_container", { docker_container: container });
await replayStates("docker", { docker_image: image, docker_volume: volume });
