import { FileCode2, PanelLeft, Replace, SquarePen } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { messageOf } from '../api/failure';
import { IconButton } from '../components/Button';
import { notify } from '../components/notices';
import { Answer } from './Answer';
import { askQuestion, isWorking, stop } from './asking';
import type { Conversation } from './conversation';
import { changeConversation, startConversation, useConversations } from './conversationStore';
import './Dialogue.css';
import { keepModel } from './localConversations';
import { ModelChooser } from './ModelChooser';
import { type ModelChoice, modelName, modelPlace } from './model';
import { openModelForEditing } from './openModel';
import { focusQuestion, QuestionBox } from './QuestionBox';
import { StartView } from './StartView';

interface DialogueProps {
  conversation: Conversation;
  /** Given in a narrow window, where the list lies over the page. */
  onList?: () => void;
  onNew: () => void;
}

export function Dialogue({ conversation, onList, onNew }: DialogueProps) {
  const { id, model, turns } = conversation;
  const [isChoosing, setChoosing] = useState(false);
  const choose = (chosen: ModelChoice) => {
    const { user } = useConversations.getState();
    if (user !== null) keepModel(user, chosen);
    setChoosing(false);
    // Answers of one model say nothing about another: a conversation has one.
    if (turns.length > 0) startConversation(chosen);
    else changeConversation(id, { model: chosen });
  };
  const ask = (question: string) => {
    void askQuestion(id, question);
    // The button that was pressed may go away.
    focusQuestion();
  };
  if (model === null || isChoosing) {
    return (
      <section className="dialogue" aria-label="Model">
        {onList && (
          <div className="dialogue-head">
            <IconButton icon={PanelLeft} label="Conversations" onPress={onList} />
          </div>
        )}
        <ModelChooser
          onChoose={choose}
          onCancel={model === null ? undefined : () => setChoosing(false)}
        />
      </section>
    );
  }
  return (
    <section className="dialogue" aria-label="Conversation">
      <div className="dialogue-head">
        {onList && <IconButton icon={PanelLeft} label="Conversations" onPress={onList} />}
        <span className="dialogue-model">
          <strong className="one-line">{modelName(model)}</strong>
          <span className="secondary one-line">{modelPlace(model)}</span>
        </span>
        <IconButton
          icon={FileCode2}
          label="Show and edit the model"
          onPress={() => {
            openModelForEditing(model).catch((error: unknown) =>
              notify(`The model cannot be shown: ${messageOf(error)}`),
            );
          }}
        />
        <IconButton icon={Replace} label="Ask another model" onPress={() => setChoosing(true)} />
        {onList && <IconButton icon={SquarePen} label="New conversation" onPress={onNew} />}
      </div>
      <Turns conversation={conversation} model={model} onAsk={ask} />
      <QuestionBox
        name={modelName(model)}
        questions={turns.map(({ question }) => question)}
        isWorking={isWorking(turns)}
        onAsk={ask}
        onStop={() => stop(id)}
      />
    </section>
  );
}

interface TurnsProps {
  conversation: Conversation;
  model: ModelChoice;
  onAsk: (question: string) => void;
}

function Turns({ conversation, model, onAsk }: TurnsProps) {
  const { id, turns, saving, saveError } = conversation;
  const place = useRef<HTMLDivElement>(null);
  const last = turns.at(-1);
  const lastId = last?.id;
  // A new question comes into sight with the room below it that the answer will take.
  useEffect(() => {
    if (lastId === undefined) return;
    const shown = [...(place.current?.querySelectorAll<HTMLElement>('.turn') ?? [])].at(-1);
    // Not scrollIntoView: it also scrolls what lies around the list.
    if (place.current && shown) place.current.scrollTop = shown.offsetTop;
  }, [lastId]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled with keys too
    <div className="dialogue-turns" ref={place} data-part="answers" tabIndex={0}>
      {turns.length === 0 && <StartView model={model} onAsk={onAsk} />}
      {turns.map((turn, index) => (
        <Answer
          key={turn.id}
          conversationId={id}
          model={model}
          turn={turn}
          number={index + 1}
          isLast={turn === last}
          onAsk={onAsk}
        />
      ))}
      {saving === 'failed' && saveError && (
        <p className="dialogue-note">
          This conversation is kept in this browser; the server does not take it: {saveError}
        </p>
      )}
    </div>
  );
}
