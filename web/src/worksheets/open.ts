import { navigate } from 'wouter/use-browser-location';
import { addWorksheet, freeName, type NewWorksheet } from './worksheetStore';

/** Shows a statement in a worksheet of its own, for other pages: edit, run again, try. */
export function openWorksheet({ name, ...rest }: NewWorksheet): void {
  addWorksheet({ ...rest, ...(name ? { name: freeName(name) } : {}) });
  navigate('/worksheets');
}
