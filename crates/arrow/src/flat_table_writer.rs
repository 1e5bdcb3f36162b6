//! Tables of FlatBuffers, which the messages of Arrow are made of: written from the root downwards, so that every reference
//! points forward.

/// A table as its fields by their numbers.
#[derive(Default)]
pub struct Table<'a>(Vec<(usize, Value<'a>)>);

pub enum Value<'a> {
    Bool(bool),
    Byte(u8),
    Short(i16),
    Int(i32),
    Long(i64),
    Text(&'a str),
    Table(Table<'a>),
    Tables(Vec<Table<'a>>),
    /// A vector of structs of two 64-bit numbers.
    Pairs(Vec<[i64; 2]>),
}

impl<'a> Table<'a> {
    pub fn with(mut self, number: usize, value: Value<'a>) -> Self {
        self.0.push((number, value));
        self
    }

    /// The whole buffer, of which this table is the root.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer(vec![0; 4]);
        let root = writer.table(self);
        writer.refer(0, root);
        writer.0
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn align(&mut self, bytes: usize) {
        self.0.resize(self.0.len().next_multiple_of(bytes), 0);
    }

    fn refer(&mut self, place: usize, target: usize) {
        let distance = (target - place) as u32;
        self.0[place..place + 4].copy_from_slice(&distance.to_le_bytes());
    }

    /// Returns where the table begins. Its vtable is before it, what it refers to behind.
    fn table(&mut self, table: &Table<'_>) -> usize {
        self.align(8);
        let vtable = self.0.len();
        let slots = table.0.iter().map(|(number, _)| number + 1).max().unwrap_or(0);
        self.0.resize(vtable + 4 + 2 * slots, 0);
        self.align(8);
        let start = self.0.len();
        self.0.extend_from_slice(&((start - vtable) as i32).to_le_bytes());
        let mut references = Vec::new();
        for (number, value) in &table.0 {
            let inline = inline_bytes(value);
            self.align(inline.len());
            let place = self.0.len();
            self.0.extend_from_slice(&inline);
            self.set_slot(vtable + 4 + 2 * number, place - start);
            if is_reference(value) {
                references.push((place, value));
            }
        }
        let length = self.0.len() - start;
        self.set_slot(vtable, 4 + 2 * slots);
        self.set_slot(vtable + 2, length);
        for (place, value) in references {
            let target = self.target(value);
            self.refer(place, target);
        }
        start
    }

    fn set_slot(&mut self, place: usize, value: usize) {
        self.0[place..place + 2].copy_from_slice(&(value as u16).to_le_bytes());
    }

    fn target(&mut self, value: &Value<'_>) -> usize {
        match value {
            Value::Table(table) => self.table(table),
            Value::Text(text) => {
                let start = self.begin_vector(text.len(), 4);
                self.0.extend_from_slice(text.as_bytes());
                self.0.push(0);
                start
            }
            Value::Tables(tables) => {
                let start = self.begin_vector(tables.len(), 4);
                let places = self.0.len();
                self.0.resize(places + 4 * tables.len(), 0);
                for (index, table) in tables.iter().enumerate() {
                    let target = self.table(table);
                    self.refer(places + 4 * index, target);
                }
                start
            }
            Value::Pairs(pairs) => {
                let start = self.begin_vector(pairs.len(), 8);
                pairs.as_flattened().iter().for_each(|number| self.0.extend_from_slice(&number.to_le_bytes()));
                start
            }
            _ => 0,
        }
    }

    /// Writes a vector's length so that its elements, which follow, are aligned.
    fn begin_vector(&mut self, length: usize, alignment: usize) -> usize {
        let start = (self.0.len() + 4).next_multiple_of(alignment) - 4;
        self.0.resize(start, 0);
        self.0.extend_from_slice(&(length as u32).to_le_bytes());
        start
    }
}

fn is_reference(value: &Value<'_>) -> bool {
    matches!(value, Value::Text(_) | Value::Table(_) | Value::Tables(_) | Value::Pairs(_))
}

fn inline_bytes(value: &Value<'_>) -> Vec<u8> {
    match value {
        Value::Bool(value) => vec![u8::from(*value)],
        Value::Byte(value) => vec![*value],
        Value::Short(value) => value.to_le_bytes().to_vec(),
        Value::Int(value) => value.to_le_bytes().to_vec(),
        Value::Long(value) => value.to_le_bytes().to_vec(),
        Value::Text(_) | Value::Table(_) | Value::Tables(_) | Value::Pairs(_) => vec![0; 4],
    }
}
