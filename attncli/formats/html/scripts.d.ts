// What the scripts of a page share, for those who check their types.
declare namespace Attncli {
  /** A number's name, then its working: texts, and numbers with their places in the list. */
  type Part = string | [string, number];
  type Entry = [string, ...Part[]];

  /** A stop of those who step through a page: results that come together, and where they stand. */
  interface Stop {
    section: number;
    table: Element;
    numbers: number[];
  }

  interface Verdict {
    right: boolean;
    says: string;
  }

  /** Makes an element of a name, with properties, and with others inside. */
  type Make = <K extends keyof HTMLElementTagNameMap>(
    name: K, properties: Record<string, unknown>, ...inside: (string | Node)[]
  ) => HTMLElementTagNameMap[K];

  /** What scripts share as `window.attncli`. */
  interface Page {
    main: HTMLElement;
    element: Make;
    /** All that shows a number, in the order of the page, and by its place in the list. */
    numbers: Element[];
    places: Map<number, Element[]>;
    sections: Element[];
    /** The sections as the file has them, before scripts did anything. */
    written: string[];
    /** How to scroll at once, whatever the style sheet says. */
    instant: ScrollBehavior;
    /** The place of the section that is read. */
    now: number;
    mark(section: number): void;
    makeCurrent(shown: Element): void;
    entry(n: number): Entry;
    operandsOf(n: number): number[];
    textOf(n: number): string;
    nameOf(n: number): string;
    /** The whole cell of a number that stands there alone, else what shows it. */
    cellOf(shown: Element): Element;
    numberAt(event: Event): Element | null | undefined;

    /** Of pointing: the bar at the bottom, and the working in it. */
    bar?: HTMLElement;
    how: HTMLElement;
    lineOf(n: number): HTMLElement;
    partsOf(n: number): Part[];
    tint(numbers: number[]): void;
    /** Takes what shows what is shown while nothing is pointed at. */
    rests(by: () => boolean): void;
    hide(): void;

    /** Of asking first. */
    decimals(): number;
    judge(n: number, typed: string): Verdict;
    /** The ends of the range that is right, where the page knows it. */
    accepted?(n: number): [string, string] | null;
    /** What is said of known mistakes, and what each makes of a number. */
    mistakes?(n: number): [string, string][];
  }
}

interface Window {
  attncli: Attncli.Page;
}

/** Of reading.js: above and below a line, and the decimals; the text of what has no end. */
declare const numberOf: (typed: string) => [bigint, bigint, number | null] | string | null;

// what this version of TypeScript doesn't know of yet
interface Array<T> {
  findLast(is: (item: T) => boolean): T | undefined;
}
interface MapConstructor {
  groupBy<K, T>(items: Iterable<T>, by: (item: T) => K): Map<K, T[]>;
}
interface Element {
  checkVisibility(options?: { visibilityProperty: boolean }): boolean;
}
interface Document {
  addEventListener(type: "attn:goto", heard: (event: CustomEvent<number>) => void): void;
}
