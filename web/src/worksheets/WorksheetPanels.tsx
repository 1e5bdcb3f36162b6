import { type ReactNode, useEffect } from 'react';
import { Dialog, Modal, ModalOverlay } from 'react-aria-components';
import { Group, type Layout, Panel, Separator, usePanelRef } from 'react-resizable-panels';
import { useIsNarrow } from '../components/useDevice';
import { Editor } from './Editor';
import { ResultArea } from './ResultArea';
import type { Run } from './run/run';
import { SidePanel } from './SidePanel';
import { useSide } from './side';
import { Toolbar } from './Toolbar';
import type { Worksheet } from './worksheet';

const ACROSS = 'firn.layout.worksheets';
const DOWN = 'firn.layout.worksheet';

export function WorksheetPanels({ worksheet, run }: { worksheet: Worksheet; run: Run | null }) {
  const isNarrow = useIsNarrow();
  const main = (
    <div className="worksheet-main">
      <Toolbar worksheet={worksheet} run={run} />
      <Group
        orientation="vertical"
        defaultLayout={keptLayout(DOWN)}
        onLayoutChanged={(layout) => keepLayout(DOWN, layout)}
      >
        <Panel id="editor" minSize={80} defaultSize="45">
          <Editor key={worksheet.id} worksheet={worksheet} run={run} />
        </Panel>
        <Separator className="panel-line" aria-label="Height of the editor" />
        <Panel id="result" minSize={80}>
          <ResultArea key={worksheet.id} worksheet={worksheet} run={run} />
        </Panel>
      </Group>
    </div>
  );
  return isNarrow ? (
    <>
      {main}
      <SideDrawer />
    </>
  ) : (
    <Wide>{main}</Wide>
  );
}

function Wide({ children }: { children: ReactNode }) {
  const isShown = useSide((state) => state.isShown);
  const side = usePanelRef();
  useEffect(() => {
    if (isShown) side.current?.expand();
    else side.current?.collapse();
  }, [isShown, side]);
  return (
    <Group
      orientation="horizontal"
      defaultLayout={keptLayout(ACROSS)}
      onLayoutChanged={(layout) => keepLayout(ACROSS, layout)}
    >
      <Panel
        id="side"
        panelRef={side}
        collapsible
        minSize={160}
        maxSize={520}
        defaultSize={236}
        groupResizeBehavior="preserve-pixel-size"
        onResize={({ inPixels }) => useSide.setState({ isShown: inPixels > 0 })}
      >
        <aside className="worksheet-side" aria-label="Worksheets and tables" data-part="tree">
          <SidePanel />
        </aside>
      </Panel>
      <Separator className="panel-line" aria-label="Width of the list" />
      <Panel id="main" minSize={320}>
        {children}
      </Panel>
    </Group>
  );
}

/** In a narrow window the list lies over the page, opened by its button. */
function SideDrawer() {
  const isOpen = useSide((state) => state.isDrawerOpen);
  return (
    <ModalOverlay
      className="side-drawer-veil"
      isOpen={isOpen}
      onOpenChange={(open) => useSide.setState({ isDrawerOpen: open })}
      isDismissable
    >
      <Modal className="side-drawer">
        <Dialog aria-label="Worksheets and tables">
          <div className="worksheet-side">
            <SidePanel onDone={() => useSide.setState({ isDrawerOpen: false })} />
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function keptLayout(key: string): Layout | undefined {
  try {
    return (JSON.parse(localStorage.getItem(key) ?? 'null') as Layout | null) ?? undefined;
  } catch {
    return undefined;
  }
}

function keepLayout(key: string, layout: Layout): void {
  localStorage.setItem(key, JSON.stringify(layout));
}
