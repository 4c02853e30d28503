// Turns, medians, ratios and spread.

export const median = (values) => quantile(values, 0.5);

export function quantile(values, part) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * part;
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low + (high - low) * (at - Math.floor(at));
}

/**
 * Measures each piece of work once in every round; who is first changes, because the first one is at a disadvantage. Returns
 * the measurements of all rounds by name.
 */
export async function inTurns(works, { rounds, warm = 5 }) {
  const names = Object.keys(works);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds + warm; round += 1) {
    for (let turn = 0; turn < names.length; turn += 1) {
      const name = names[(round + turn) % names.length];
      const took = await works[name]();
      if (round >= warm) samples[name].push(took);
    }
  }
  return samples;
}

/** Microseconds of processor time that one of `count` repetitions takes, in all threads of this process. */
export async function computed(count, work) {
  const began = process.cpuUsage();
  for (let at = 0; at < count; at += 1) await work(at);
  const { user, system } = process.cpuUsage(began);
  return (user + system) / count;
}

/** The same for work that never waits. */
export function computedAtOnce(count, work) {
  const began = process.cpuUsage();
  for (let at = 0; at < count; at += 1) work(at);
  const { user, system } = process.cpuUsage(began);
  return (user + system) / count;
}

/** The ratios of each round, from the same moment of the machine: their median, and the quarter below and above it. */
export function ratioOf(samples, beside) {
  const ratios = samples.map((sample, round) => sample / beside[round]);
  return { median: round(median(ratios)), low: round(quantile(ratios, 0.25)), high: round(quantile(ratios, 0.75)) };
}

/**
 * One line of a table: what was measured, beside what, and the aim. An aim is the largest ratio, or with `of: "value"` the
 * largest value.
 */
export function figure(name, { unit = "µs", samples, value = median(samples), beside, than, aim, of = "ratio" }) {
  return {
    name,
    unit,
    value: round(value),
    ...(beside && { beside: than, ratio: ratioOf(samples, beside) }),
    ...(aim && { aim: { most: aim, of } }),
  };
}

/** Four digits that count. */
export const round = (value) => Number(value.toPrecision(4));
