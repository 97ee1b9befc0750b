import { type ProblemTemplate, calculate, capitalise, drawPeople, drawPerson, sayTimes } from './problem-template.ts';

/** Things that are shared, lost, grouped and compared. */
export const countTemplates: readonly ProblemTemplate[] = [
  (random) => {
    const { name, they, their } = drawPerson(random);
    const [rows, perRow, lost] = [random.integer(6, 15), random.integer(5, 12), random.integer(3, 14)];
    const planted = rows * perRow;
    const plant = random.pick(['tomato plants', 'tulips', 'young lemon trees', 'cabbages'] as const);
    return {
      question: `In ${their} garden ${name} sets ${rows} rows of ${perRow} ${plant}. A frosty night kills ${lost} of them. How many ${plant} does ${they} have left?`,
      steps: [
        `${capitalise(they)} planted ${calculate(`${rows}*${perRow}`, planted)}.`,
        `After the frost there are ${calculate(`${planted}-${lost}`, planted - lost)}.`,
      ],
    };
  },
  (random) => {
    const [first, second, third] = drawPeople(random, 3);
    const [base, more, times] = [random.integer(7, 20), random.integer(3, 9), random.integer(2, 3)];
    const thing = random.pick(['shells', 'marbles', 'stamps', 'postcards'] as const);
    const [b, c] = [base + more, (base + more) * times];
    return {
      question: `${first?.name} found ${base} ${thing}, ${second?.name} found ${more} more than that, and ${third?.name} found ${sayTimes(times)} as many as ${second?.name}. How many ${thing} did the three find in total?`,
      steps: [
        `${second?.name} found ${calculate(`${base}+${more}`, b)}.`,
        `${third?.name} found ${calculate(`${times}*${b}`, c)}.`,
        `Together they found ${calculate(`${base}+${b}+${c}`, base + b + c)}.`,
      ],
    };
  },
  (random) => {
    const [buses, seats, empty] = [random.integer(3, 8), random.integer(24, 52), random.integer(4, 17)];
    const all = buses * seats;
    return {
      question: `A school hires ${buses} buses with ${seats} seats each for an outing. When everybody is on board, ${empty} seats are empty. How many people are going?`,
      steps: [
        `There are ${calculate(`${buses}*${seats}`, all)} seats.`,
        `${calculate(`${all}-${empty}`, all - empty)} of them are taken.`,
      ],
    };
  },
  (random) => {
    const { name, they } = drawPerson(random);
    const [perBag, bags, over] = [random.integer(4, 9), random.integer(6, 15), random.integer(1, 3)];
    const all = perBag * bags + over;
    const [eaten, rest] = [over, perBag * bags];
    return {
      question: `${name} bakes ${all} cookies and eats ${eaten} while they are warm. ${capitalise(they)} packs the others into bags of ${perBag}. How many bags does ${they} fill?`,
      steps: [
        `There are ${calculate(`${all}-${eaten}`, rest)} cookies to pack.`,
        `They fill ${calculate(`${rest}/${perBag}`, bags)} bags.`,
      ],
    };
  },
  (random) => {
    const [shelves, perShelf, boxes, perBox] = [
      random.integer(4, 9),
      random.integer(12, 30),
      random.integer(2, 7),
      random.integer(8, 20),
    ];
    const [a, b] = [shelves * perShelf, boxes * perBox];
    return {
      question: `A village library has ${shelves} shelves with ${perShelf} books on each. A donor sends ${boxes} boxes of ${perBox} books. How many books does the library own after that?`,
      steps: [
        `On the shelves there are ${calculate(`${shelves}*${perShelf}`, a)} books.`,
        `In the boxes there are ${calculate(`${boxes}*${perBox}`, b)} books.`,
        `Altogether it owns ${calculate(`${a}+${b}`, a + b)} books.`,
      ],
    };
  },
  (random) => {
    const part = random.pick([2, 3, 4, 5] as const);
    const others = random.integer(8, 24);
    const total = part * others;
    const word = { 2: 'half', 3: 'a third', 4: 'a quarter', 5: 'a fifth' }[part];
    const extra = random.integer(2, others - 2);
    return {
      question: `There are ${total} children in a summer camp. ${capitalise(word)} of them go sailing, and ${extra} of the sailors wear red caps. How many sailors wear no red cap?`,
      steps: [
        `${calculate(`${total}/${part}`, others)} children sail.`,
        `${calculate(`${others}-${extra}`, others - extra)} of them wear no red cap.`,
      ],
    };
  },
  (random) => {
    const { name, they, their } = drawPerson(random);
    const [start, given, perFriend] = [random.integer(70, 120), random.integer(3, 7), random.integer(4, 9)];
    const found = random.integer(5, 15);
    const gone = given * perFriend;
    return {
      question: `${name} owns ${start} trading cards. ${capitalise(they)} hands ${perFriend} cards to each of ${given} friends and later finds ${found} more in ${their} drawer. How many cards does ${they} have in the end?`,
      steps: [
        `${name} gives away ${calculate(`${given}*${perFriend}`, gone)} cards.`,
        `${calculate(`${start}-${gone}`, start - gone)} are left.`,
        `With those from the drawer it is ${calculate(`${start - gone}+${found}`, start - gone + found)}.`,
      ],
    };
  },
  (random) => {
    const [cows, hens] = [random.integer(3, 14), random.integer(6, 30)];
    const [a, b] = [cows * 4, hens * 2];
    const [big, small] = random.pick([
      ['cows', 'hens'],
      ['goats', 'geese'],
      ['sheep', 'ducks'],
    ] as const);
    return {
      question: `A farmyard holds ${cows} ${big} and ${hens} ${small}. Counting four legs for each of the ${big} and two for each of the ${small}, how many legs are there?`,
      steps: [
        `The ${big} have ${calculate(`${cows}*4`, a)} legs.`,
        `The ${small} have ${calculate(`${hens}*2`, b)} legs.`,
        `Together there are ${calculate(`${a}+${b}`, a + b)} legs.`,
      ],
    };
  },
  (random) => {
    const [percent, hundreds] = [random.pick([10, 20, 25, 30, 40, 60, 75] as const), random.integer(2, 9)];
    const total = hundreds * 100;
    const yes = (total * percent) / 100;
    const topic = random.pick(['a new bridge', 'longer library hours', 'a car-free square', 'planting trees'] as const);
    return {
      question: `Of ${total} people asked about ${topic}, ${percent}% were in favour and everyone else was against. How many more people were on the larger side than on the smaller one?`,
      steps: [
        `In favour were ${calculate(`${total}*${percent}/100`, yes)} people.`,
        `Against were ${calculate(`${total}-${yes}`, total - yes)} people.`,
        `The difference is ${calculate(`${Math.max(yes, total - yes)}-${Math.min(yes, total - yes)}`, Math.abs(total - 2 * yes))}.`,
      ],
    };
  },
  (random) => {
    const [tables, seats, guests] = [random.integer(9, 18), random.pick([4, 6, 8] as const), random.integer(20, 34)];
    const places = tables * seats;
    return {
      question: `A hall has ${tables} tables with ${seats} places at each. So far ${guests} guests have sat down. How many places are still free?`,
      steps: [
        `There are ${calculate(`${tables}*${seats}`, places)} places.`,
        `${calculate(`${places}-${guests}`, places - guests)} are free.`,
      ],
    };
  },
  (random) => {
    const [first, second] = drawPeople(random, 2);
    const [difference, smaller] = [random.integer(2, 9) * 2, random.integer(10, 30)];
    const total = smaller * 2 + difference;
    return {
      question: `Together ${first?.name} and ${second?.name} picked ${total} pears. ${first?.name} picked ${difference} more than ${second?.name}. How many pears did ${second?.name} pick?`,
      steps: [
        `Without the extra pears there are ${calculate(`${total}-${difference}`, total - difference)}.`,
        `Half of them are ${second?.name}'s: ${calculate(`${total - difference}/2`, smaller)}.`,
      ],
    };
  },
];
