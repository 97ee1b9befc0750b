import { type ProblemTemplate, calculate, drawPeople, drawPerson } from './problem-template.ts';

/** Work, averages, ratios, and problems that are solved backwards. */
export const rateTemplates: readonly ProblemTemplate[] = [
  (random) => {
    const [scores, mean] = [random.pick([3, 4, 5] as const), random.integer(60, 85)];
    const known = Array.from({ length: scores - 1 }, () => mean + random.integer(-3, 3));
    const [needed, sum] = [mean * scores, known.reduce((a, b) => a + b, 0)];
    const { name, they } = drawPerson(random);
    return {
      question: `${name} scored ${known.slice(0, -1).join(', ')}${known.length > 1 ? ' and ' : ''}${known.at(-1)} points in the first ${known.length} tests. What must ${they} score in the next one to have an average of ${mean} points over all ${scores} tests?`,
      steps: [
        `An average of ${mean} means ${calculate(`${mean}*${scores}`, needed)} points in all.`,
        `So far there are ${calculate(known.join('+'), sum)} points.`,
        `The next test has to give ${calculate(`${needed}-${sum}`, needed - sum)}.`,
      ],
    };
  },
  (random) => {
    const [machines, perHour, hours] = [random.integer(3, 9), random.integer(14, 40), random.integer(4, 8)];
    const broken = random.integer(1, machines - 2);
    const [working, rate] = [machines - broken, (machines - broken) * perHour];
    return {
      question: `A workshop has ${machines} machines that each press ${perHour} bottle caps an hour. Today ${broken} of them ${broken === 1 ? 'is' : 'are'} out of order. How many caps do the others press in ${hours} hours?`,
      steps: [
        `${calculate(`${machines}-${broken}`, working)} machines work.`,
        `In an hour they press ${calculate(`${working}*${perHour}`, rate)} caps.`,
        `In ${hours} hours it is ${calculate(`${rate}*${hours}`, rate * hours)} caps.`,
      ],
    };
  },
  (random) => {
    const [left, right, part] = [random.integer(2, 5), random.integer(3, 7), random.integer(6, 14)];
    const total = (left + right) * part;
    const [a, b] = random.pick([
      ['red', 'blue'],
      ['silver', 'gold'],
      ['striped', 'plain'],
      ['oak', 'pine'],
    ] as const);
    return {
      question: `In a bowl of ${total} beads, for every ${left} ${a} ones there are ${right} ${b} ones, and there are no others. How many of the beads are ${b}?`,
      steps: [
        `One set has ${calculate(`${left}+${right}`, left + right)} beads.`,
        `There are ${calculate(`${total}/${left + right}`, part)} sets.`,
        `So ${calculate(`${part}*${right}`, part * right)} beads are ${b}.`,
      ],
    };
  },
  (random) => {
    const { name, they } = drawPerson(random);
    const [start, earned, spent] = [random.integer(20, 60), random.integer(5, 20), random.integer(12, 24)];
    const left = start + earned - spent;
    return {
      question: `${name} had some money, earned $${earned} by washing cars and then paid $${spent} for a book about birds. Now ${they} has $${left}. How many dollars did ${they} have at first?`,
      steps: [
        `Before the book it was ${calculate(`${left}+${spent}`, left + spent)} dollars.`,
        `Before washing cars it was ${calculate(`${left + spent}-${earned}`, start)} dollars.`,
      ],
    };
  },
  (random) => {
    const [minutes, pages, hours] = [
      random.pick([10, 12, 15, 20] as const),
      random.integer(2, 6),
      random.integer(2, 5),
    ];
    const [times, total] = [(60 / minutes) * hours, (60 / minutes) * hours * pages];
    return {
      question: `A slow printer needs ${minutes} minutes for ${pages} large posters. How many posters does it print in ${hours} hours?`,
      steps: [
        `An hour has ${calculate(`60/${minutes}`, 60 / minutes)} such turns.`,
        `${hours} hours have ${calculate(`${60 / minutes}*${hours}`, times)}.`,
        `That makes ${calculate(`${times}*${pages}`, total)} posters.`,
      ],
    };
  },
  (random) => {
    const [first, second] = drawPeople(random, 2);
    const [a, b, hours] = [random.integer(5, 12), random.integer(3, 9), random.integer(3, 8)];
    return {
      question: `${first?.name} can fold ${a} paper cranes in an hour and ${second?.name} can fold ${b}. They want to fold cranes together for ${hours} hours. How many will they have?`,
      steps: [
        `In an hour they fold ${calculate(`${a}+${b}`, a + b)}.`,
        `In ${hours} hours they fold ${calculate(`${a + b}*${hours}`, (a + b) * hours)}.`,
      ],
    };
  },
  (random) => {
    const [start, days, daily] = [random.integer(50, 90), random.integer(4, 9), random.integer(2, 5)];
    const added = random.integer(10, 30);
    const eaten = days * daily;
    const { name, their } = drawPerson(random);
    return {
      question: `${name} keeps ${start} cans of food for ${their} cat, who gets through ${daily} a day. After ${days} days a parcel with ${added} more cans arrives. How many cans are there then?`,
      steps: [
        `The cat ate ${calculate(`${days}*${daily}`, eaten)} cans.`,
        `${calculate(`${start}-${eaten}`, start - eaten)} were left.`,
        `With the parcel there are ${calculate(`${start - eaten}+${added}`, start - eaten + added)}.`,
      ],
    };
  },
  (random) => {
    const [doubling, start] = [random.integer(3, 5), random.integer(3, 12)];
    const values = Array.from({ length: doubling + 1 }, (_unused, index) => start * 2 ** index);
    return {
      question: `A patch of duckweed covers ${start} square meters of a pond and doubles every week. How many square meters does it cover after ${doubling} weeks?`,
      steps: values
        .slice(1)
        .map((value, index) => `After week ${index + 1} it covers ${calculate(`${values[index]}*2`, value)}.`),
    };
  },
];
