/** Every key of the console, as the help shows them. */
export const KEYS: readonly { group: string; keys: readonly (readonly [string, string])[] }[] = [
  {
    group: 'Anywhere',
    keys: [
      ['Mod+K', 'Go to a page, table, worksheet or command'],
      ['F6, Shift+F6', 'Next part of the page, previous one'],
      ['?', 'This list; while typing, Mod+Shift+/'],
    ],
  },
  {
    group: 'Worksheet',
    keys: [
      ['Mod+Enter', 'Run the selection, else the statement at the cursor'],
      ['Mod+Shift+Enter', 'Run all'],
      ['Esc, Mod+.', 'Cancel'],
      ['Alt+T', 'New worksheet'],
      ['Alt+W', 'Close worksheet'],
      ['Alt+1 … Alt+9', 'Go to worksheet 1 … 9'],
    ],
  },
  {
    group: 'Analyst',
    keys: [
      ['Enter, Shift+Enter', 'Ask, new line'],
      ['Up, Down', 'In an empty field: the last questions'],
      ['Esc, Mod+.', 'Stop'],
      ['Alt+T', 'New conversation'],
    ],
  },
  {
    group: 'Editor',
    keys: [
      ['Ctrl+Space', 'Complete'],
      ['Mod+/', 'Comment or uncomment lines'],
      ['Shift+Alt+F', 'Format'],
      ['Mod+F', 'Find and replace'],
      ['Mod+D', 'Select the next same word'],
      ['Mod+S', 'Save now'],
      ['Ctrl+M', 'Tab indents, or moves the focus'],
    ],
  },
  {
    group: 'Result',
    keys: [
      ['Arrows, Page, Home, End', 'Move the cell'],
      ['Ctrl+Home, Ctrl+End', 'First cell, last cell'],
      ['Shift with these', 'Select a rectangle'],
      ['Mod+A, Mod+C', 'Select all, copy'],
      ['Enter', 'Show the whole value'],
    ],
  },
];
