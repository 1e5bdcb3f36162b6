//! Bits as Arrow stores them: the first one is the lowest bit of the first byte.

#[derive(Clone, Debug, Default)]
pub struct Bitmap {
    bytes: Vec<u8>,
    length: usize,
}

impl Bitmap {
    pub fn ones(length: usize) -> Self {
        let mut bitmap = Self::default();
        bitmap.extend_ones(length);
        bitmap
    }

    pub fn push(&mut self, bit: bool) {
        if self.length.is_multiple_of(8) {
            self.bytes.push(0);
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= u8::from(bit) << (self.length % 8);
        }
        self.length += 1;
    }

    pub fn extend_ones(&mut self, mut count: usize) {
        while count > 0 && !self.length.is_multiple_of(8) {
            self.push(true);
            count -= 1;
        }
        self.bytes.resize(self.bytes.len() + count / 8, u8::MAX);
        self.length += count / 8 * 8;
        (0..count % 8).for_each(|_| self.push(true));
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.length = 0;
    }
}

pub fn bit(bytes: &[u8], index: usize) -> bool {
    bytes.get(index / 8).is_some_and(|byte| byte >> (index % 8) & 1 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_where_they_were_put() {
        for ones in [0, 1, 7, 8, 9, 70] {
            let mut bitmap = Bitmap::ones(3);
            bitmap.push(false);
            bitmap.extend_ones(ones);
            bitmap.push(false);
            let expected: Vec<bool> = (0..ones + 5).map(|index| index != 3 && index != ones + 4).collect();
            let bits: Vec<bool> = (0..ones + 5).map(|index| bit(bitmap.bytes(), index)).collect();
            assert_eq!(bits, expected);
            assert_eq!(bitmap.bytes().len(), (ones + 5).div_ceil(8));
        }
    }
}
