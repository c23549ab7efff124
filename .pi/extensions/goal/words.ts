// Words of the binary, which speak of a terminal, as a person in pi needs them.

/** Commands of the binary that have one in pi. */
const IN_PI: Record<string, string> = {
  abort: "/goal-abort",
  draft: "/goals",
  focus: "/goal-focus",
  list: "/goal-list",
  pause: "/goal-pause",
  resume: "/goal-resume",
  set: "/goals-set",
  show: "/goal",
  status: "/goal-status",
  tweak: "/goal-tweak",
  unfocus: "/goal-unfocus",
};

/** A text in which commands stand as a person types them here. Options are for a terminal only. */
export const inPi = (text: string) =>
  text.replace(/`goal ([a-z]+)((?: [^`]*)?)`/g, (whole, name, rest) =>
    IN_PI[name] && !rest.includes("--") ? `\`${IN_PI[name]}${rest}\`` : whole,
  );
