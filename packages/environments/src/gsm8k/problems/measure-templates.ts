import { type ProblemTemplate, calculate, drawPeople, drawPerson, sayTimes } from './problem-template.ts';

/** Time, distance, area, weight, age. */
export const measureTemplates: readonly ProblemTemplate[] = [
  (random) => {
    const { name, they } = drawPerson(random);
    const [speed, hours, second, more] = [
      random.integer(40, 80),
      random.integer(2, 5),
      random.integer(30, 60),
      random.integer(1, 3),
    ];
    const [a, b] = [speed * hours, second * more];
    return {
      question: `${name} drives for ${hours} hours at ${speed} kilometers per hour and then for ${more} more ${more === 1 ? 'hour' : 'hours'} at ${second} kilometers per hour. How many kilometers does ${they} cover?`,
      steps: [
        `The first part is ${calculate(`${speed}*${hours}`, a)} km.`,
        `The second part is ${calculate(`${second}*${more}`, b)} km.`,
        `Altogether it is ${calculate(`${a}+${b}`, a + b)} km.`,
      ],
    };
  },
  (random) => {
    const [length, width, price] = [random.integer(6, 20), random.integer(4, 12), random.integer(3, 9)];
    const around = 2 * (length + width);
    const animal = random.pick(['rabbits', 'goats', 'a pony', 'chickens'] as const);
    return {
      question: `A rectangular run for ${animal} is ${length} meters long and ${width} meters wide. Fence costs $${price} per meter. How many dollars does it cost to fence it all the way around?`,
      steps: [
        `The way around is ${calculate(`2*(${length}+${width})`, around)} meters.`,
        `The fence costs ${calculate(`${around}*${price}`, around * price)} dollars.`,
      ],
    };
  },
  (random) => {
    const [length, width, tile] = [random.integer(2, 6) * 2, random.integer(2, 5) * 2, random.integer(3, 8)];
    const area = length * width;
    return {
      question: `The floor of a kitchen measures ${length} by ${width} feet. Tiles of one square foot cost $${tile} each. What do the tiles for the whole floor cost, in dollars?`,
      steps: [
        `The floor has ${calculate(`${length}*${width}`, area)} square feet.`,
        `The tiles cost ${calculate(`${area}*${tile}`, area * tile)} dollars.`,
      ],
    };
  },
  (random) => {
    const [first, second] = drawPeople(random, 2);
    const [young, times, years] = [random.integer(5, 12), random.integer(2, 4), random.integer(3, 9)];
    const old = young * times;
    return {
      question: `${first?.name} is ${young} years old, and ${second?.name} is ${sayTimes(times)} as old. How old will ${second?.name} be in ${years} years?`,
      steps: [
        `${second?.name} is ${calculate(`${young}*${times}`, old)} now.`,
        `In ${years} years it is ${calculate(`${old}+${years}`, old + years)}.`,
      ],
    };
  },
  (random) => {
    const { name, they } = drawPerson(random);
    const [pages, perDay, done] = [random.integer(8, 20), random.integer(12, 30), random.integer(2, 6)];
    const total = pages * perDay;
    const read = done * perDay;
    const question = random.pick([
      `A novel has ${total} pages. ${name} reads ${perDay} pages every evening and has done so for ${done} evenings. How many pages are left?`,
      `${name} wants to finish a book of ${total} pages. At ${perDay} pages a day, how many pages will ${they} still have in front of ${they === 'she' ? 'her' : 'him'} after ${done} days?`,
    ]);
    return {
      question,
      steps: [
        `So far ${calculate(`${perDay}*${done}`, read)} pages are read.`,
        `${calculate(`${total}-${read}`, total - read)} pages are left.`,
      ],
    };
  },
  (random) => {
    const [tank, rate, minutes] = [random.integer(20, 40) * 10, random.integer(4, 12), random.integer(8, 15)];
    const filled = rate * minutes;
    return {
      question: `A tank holds ${tank} liters. A pump pours in ${rate} liters a minute for ${minutes} minutes. How many more liters fit in?`,
      steps: [
        `The pump gives ${calculate(`${rate}*${minutes}`, filled)} liters.`,
        `There is room for ${calculate(`${tank}-${filled}`, tank - filled)} more.`,
      ],
    };
  },
  (random) => {
    const { name, their } = drawPerson(random);
    const [laps, meters, days] = [
      random.integer(4, 9),
      random.pick([200, 250, 300, 400] as const),
      random.integer(3, 6),
    ];
    const [daily, total] = [laps * meters, laps * meters * days];
    return {
      question: `For ${their} training ${name} runs ${laps} laps of a ${meters}-meter track on each of ${days} days. How many meters is that in all?`,
      steps: [
        `A day has ${calculate(`${laps}*${meters}`, daily)} meters.`,
        `${days} days have ${calculate(`${daily}*${days}`, total)} meters.`,
      ],
    };
  },
  (random) => {
    const [people, grams, bought] = [
      random.integer(4, 11),
      random.pick([80, 90, 100, 120, 150] as const),
      random.integer(2, 3),
    ];
    const [needed, have] = [people * grams, bought * 1000];
    return {
      question: `A cook plans ${grams} grams of rice for each of ${people} guests and opens ${bought} bags of 1000 grams. How many grams of rice are left over?`,
      steps: [
        `The guests need ${calculate(`${people}*${grams}`, needed)} grams.`,
        `The bags hold ${calculate(`${bought}*1000`, have)} grams.`,
        `${calculate(`${have}-${needed}`, have - needed)} grams are left.`,
      ],
    };
  },
  (random) => {
    const { name, they } = drawPerson(random);
    const [tasks, minutes, pause] = [random.integer(3, 7), random.integer(12, 35), random.integer(5, 15)];
    const [work, rest] = [tasks * minutes, (tasks - 1) * pause];
    return {
      question: `${name} has ${tasks} exercises to do. Each takes ${minutes} minutes, and between one and the next ${they} rests for ${pause} minutes. How many minutes pass from the start of the first to the end of the last?`,
      steps: [
        `The exercises take ${calculate(`${tasks}*${minutes}`, work)} minutes.`,
        `There are ${calculate(`${tasks}-1`, tasks - 1)} rests.`,
        `They take ${calculate(`${tasks - 1}*${pause}`, rest)} minutes.`,
        `In all ${calculate(`${work}+${rest}`, work + rest)} minutes pass.`,
      ],
    };
  },
  (random) => {
    const [pieces, each, cut] = [random.integer(4, 12), random.integer(6, 15), random.integer(2, 5)];
    const total = pieces * each + cut;
    return {
      question: `A carpenter cuts ${cut} centimeters of rotten wood off a board that is ${total} centimeters long and saws the rest into ${pieces} equal pieces. How long is each piece, in centimeters?`,
      steps: [
        `${calculate(`${total}-${cut}`, total - cut)} centimeters of good wood remain.`,
        `A piece is ${calculate(`${total - cut}/${pieces}`, each)} centimeters long.`,
      ],
    };
  },
  (random) => {
    const [start, up, down] = [random.integer(2, 9), random.integer(10, 18), random.integer(3, 8)];
    const noon = start + up;
    const city = random.pick(['Oslo', 'Quito', 'Tashkent', 'Lagos', 'Hobart'] as const);
    return {
      question: `At dawn it is ${start} degrees in ${city}. By noon it is ${up} degrees warmer, and by evening it has cooled by ${down} degrees. What does the thermometer show in the evening?`,
      steps: [
        `At noon it shows ${calculate(`${start}+${up}`, noon)} degrees.`,
        `In the evening it shows ${calculate(`${noon}-${down}`, noon - down)} degrees.`,
      ],
    };
  },
];
