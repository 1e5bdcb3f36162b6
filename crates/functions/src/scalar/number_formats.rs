//! Numbers written and read by a model such as `999,990.00`, `$99.9S`, `0XXX` or `TM9`.

use super::native::{Evaluated, Native, Row};
use crate::definition::{Answer, Kind};
use Kind::Text;

pub(super) const FUNCTIONS: &[Native] = &[
    Native::new(c"firn_read_number", &[Text, Text], Text, read),
    Native::new(c"firn_hexadecimal_remainder", &[Text, Text], Text, hexadecimal_remainder),
    Native::new(c"firn_refused_numeral", &[Text], Text, |row| {
        Err(format!("firn:100038:Numeric value '{}' is not recognized", row.text(0)))
    }),
];

#[derive(Clone, Debug, PartialEq, Eq)]
enum Element {
    /// `9`: a digit, blank where it would be a leading zero.
    Digit,
    /// `0`: a digit, always shown.
    Zero,
    Point,
    Group,
    Hex,
    Currency,
    /// `S`: the sign, plus or minus.
    Sign,
    /// `MI`: minus or a blank.
    Minus,
    /// `EE` to `EEEEE`: the exponent and, but for `EE`, in how many characters.
    Exponent(usize),
    Literal(String),
}

/// The characters of `E-324`.
const EXPONENT_WIDTH_MAX: usize = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Places,
    /// `TM`, `TM9`: as many digits as there are.
    Plain,
    /// `TME`: one digit before the point and an exponent, as many digits as there are.
    Scientific,
}

#[derive(Debug)]
struct Model {
    elements: Vec<Element>,
    form: Form,
    /// `FM`: no blanks.
    compact: bool,
    /// `B`: nothing in the place of a whole part that is zero.
    blank_zero: bool,
    upper: bool,
}

impl Model {
    fn parse(text: &str) -> Result<Self, String> {
        let refused = || format!("firn:100048:'{text}' is no number format; use 9 0 . , $ S MI X B EE FM TM");
        let upper_text = text.to_ascii_uppercase();
        let mut model = Self {
            elements: Vec::new(),
            form: Form::Places,
            compact: false,
            blank_zero: false,
            upper: text.contains('X'),
        };
        let mut place = 0;
        while place < text.len() {
            let left = &upper_text[place..];
            let (length, element) = if let Some(rest) = left.strip_prefix('"') {
                let length = rest.find('"').ok_or_else(refused)?;
                (length + 2, Some(Element::Literal(text[place + 1..=place + length].to_owned())))
            } else if left.starts_with("FM") {
                model.compact = true;
                (2, None)
            } else if left.starts_with("TME") {
                model.form = Form::Scientific;
                (3, None)
            } else if left.starts_with("TM") {
                model.form = Form::Plain;
                (if left.starts_with("TM9") { 3 } else { 2 }, None)
            } else if left.starts_with("EE") {
                let width = left.bytes().take(EXPONENT_WIDTH_MAX).take_while(|byte| *byte == b'E').count();
                (width, Some(Element::Exponent(width)))
            } else if left.starts_with("MI") {
                (2, Some(Element::Minus))
            } else {
                let element = match left.as_bytes()[0] {
                    b'9' => Element::Digit,
                    b'0' => Element::Zero,
                    b'.' | b'D' => Element::Point,
                    b',' | b'G' => Element::Group,
                    b'X' => Element::Hex,
                    b'$' => Element::Currency,
                    b'S' => Element::Sign,
                    b'B' => {
                        model.blank_zero = true;
                        place += 1;
                        continue;
                    }
                    b' ' | b'-' | b'/' | b'(' | b')' | b'_' | b':' | b'+' => Element::Literal(left[..1].to_owned()),
                    _ => return Err(refused()),
                };
                (1, Some(element))
            };
            model.elements.extend(element);
            place += length;
        }
        let is_placeless = model.form == Form::Places && !model.elements.iter().any(Element::is_place);
        if is_placeless || model.has_exponent() && model.places().0 != 1 {
            return Err(refused());
        }
        Ok(model)
    }

    fn has_exponent(&self) -> bool {
        self.elements.iter().any(|element| matches!(element, Element::Exponent(_)))
    }

    /// The places before the point and behind it.
    fn places(&self) -> (usize, usize) {
        let point = self.elements.iter().position(|element| *element == Element::Point).unwrap_or(self.elements.len());
        let count = |elements: &[Element]| elements.iter().filter(|element| element.is_place()).count();
        (count(&self.elements[..point]), count(&self.elements[point..]))
    }

    fn has(&self, wanted: &Element) -> bool {
        self.elements.contains(wanted)
    }
}

impl Element {
    fn is_place(&self) -> bool {
        matches!(self, Self::Digit | Self::Zero | Self::Hex)
    }
}

/// `number` is a plain decimal number or the engine's text of a float.
pub(super) fn write(number: &str, format: &str) -> Result<String, String> {
    let model = Model::parse(format)?;
    let value =
        Decimal::read(number).ok_or_else(|| format!("firn:100038:Numeric value '{number}' is not recognized"))?;
    if model.has(&Element::Hex) {
        return Ok(hexadecimal(&model, &value));
    }
    Ok(match model.form {
        Form::Plain => around(&model, &value.plain()),
        Form::Scientific => around(&model, &value.scientific()),
        Form::Places if model.has_exponent() => with_exponent(model, &value),
        Form::Places => places(&model, &value),
    })
}

/// One digit before the point, and the exponent where the model has it.
fn with_exponent(mut model: Model, value: &Decimal) -> String {
    let (mantissa, exponent) = value.mantissa(model.places().1);
    for element in &mut model.elements {
        if let Element::Exponent(width) = element {
            *element = Element::Literal(exponent_text(exponent, *width));
        }
    }
    places(&model, &mantissa)
}

fn exponent_text(exponent: i64, width: usize) -> String {
    if width == 2 {
        return format!("E{exponent}");
    }
    let text = format!("E{exponent:+0digits$}", digits = width - 1);
    if text.len() > width { "#".repeat(width) } else { text }
}

/// The literals of a model around a number that has no places.
fn around(model: &Model, number: &str) -> String {
    let mut out = String::new();
    let mut written = false;
    for element in &model.elements {
        match element {
            Element::Literal(text) if text != number => out.push_str(text),
            _ => {}
        }
        if !written {
            out.push_str(number);
            written = true;
        }
    }
    if written { out } else { number.to_owned() }
}

fn places(model: &Model, value: &Decimal) -> String {
    let (whole_places, fraction_places) = model.places();
    let rounded = value.rounded(fraction_places);
    let overflows = rounded.whole.len() > whole_places && rounded.whole != "0";
    let negative = rounded.negative && !rounded.is_zero();
    let floating_sign = !model.has(&Element::Sign) && !model.has(&Element::Minus);
    let shown_whole =
        if rounded.whole == "0" && (model.blank_zero || whole_places == 0) { "" } else { &*rounded.whole };
    let mut whole = shown_whole.chars().rev().collect::<Vec<_>>();
    let missing = whole_places.saturating_sub(whole.len());
    let mut fraction = rounded.fraction.chars();
    let trailing = rounded.fraction.len() - rounded.fraction.trim_end_matches('0').len();
    let mut out = String::new();
    let (mut place, mut behind_point, mut started) = (0, false, false);
    let mut currency = false;
    let mut sign_at = None;
    for (index, element) in model.elements.iter().enumerate() {
        match element {
            Element::Literal(text) => out.push_str(text),
            Element::Currency => currency = true,
            Element::Sign => out.push(if negative { '-' } else { '+' }),
            Element::Minus => out.push(if negative { '-' } else { ' ' }),
            Element::Point => {
                behind_point = true;
                out.push('.');
            }
            Element::Group if started => out.push(','),
            Element::Group => out.push(' '),
            Element::Exponent(_) => {}
            Element::Digit | Element::Zero | Element::Hex if behind_point => {
                let digit = fraction.next().unwrap_or('0');
                let left = fraction.as_str().len();
                let blank =
                    *element == Element::Digit && left < trailing && !model.elements[index..].contains(&Element::Zero);
                out.push(if overflows {
                    '#'
                } else if blank {
                    ' '
                } else {
                    digit
                });
            }
            Element::Digit | Element::Zero | Element::Hex => {
                sign_at.get_or_insert(out.len());
                place += 1;
                if overflows {
                    started = true;
                    out.push('#');
                } else if place > missing {
                    started = true;
                    out.push(whole.pop().unwrap_or('0'));
                } else if *element == Element::Zero || started {
                    started = true;
                    out.push('0');
                } else {
                    out.push(' ');
                }
            }
        }
    }
    let sign = if floating_sign { Some(if negative { '-' } else { ' ' }) } else { None };
    finish(model, out, sign_at.unwrap_or(0), sign, currency)
}

/// Puts the sign and the currency before the first digit, and takes the blanks out of a compact number.
fn finish(model: &Model, out: String, number_start: usize, sign: Option<char>, currency: bool) -> String {
    let (head, tail) = out.split_at(number_start);
    let digits = tail.trim_start_matches(' ');
    let blanks = " ".repeat(tail.len() - digits.len());
    let mark = if currency { "$" } else { "" };
    let text = match sign {
        Some('-') => format!("{head}{blanks}-{mark}{digits}"),
        Some(_) => format!("{head} {blanks}{mark}{digits}"),
        None => format!("{head}{blanks}{mark}{digits}"),
    };
    if model.compact { text.replace(' ', "") } else { text }
}

fn hexadecimal(model: &Model, value: &Decimal) -> String {
    let count = model.elements.iter().filter(|element| element.is_place()).count();
    let rounded = value.rounded(0);
    let number: i128 = rounded.whole.parse().unwrap_or(0);
    let negative = rounded.negative && number != 0;
    let signed = model.has(&Element::Sign) || model.has(&Element::Minus);
    let shown = if negative && !signed { (-number) as u128 } else { number as u128 };
    let digits = if model.upper { format!("{shown:X}") } else { format!("{shown:x}") };
    let digits = if negative && !signed { digits[digits.len().saturating_sub(count)..].to_owned() } else { digits };
    let filled = if model.has(&Element::Zero) { format!("{digits:0>count$}") } else { format!("{digits:>count$}") };
    let body = if digits.len() > count { "#".repeat(count) } else { filled };
    let mut out = String::new();
    let mut written = false;
    for element in &model.elements {
        match element {
            Element::Literal(text) => out.push_str(text),
            Element::Sign => out.push(if negative { '-' } else { '+' }),
            Element::Minus => out.push(if negative { '-' } else { ' ' }),
            element if element.is_place() && !written => {
                out.push_str(&body);
                written = true;
            }
            _ => {}
        }
    }
    if model.compact { out.replace(' ', "") } else { out }
}

/// The plain decimal number that a text is by a model.
fn read(row: &Row<'_>) -> Evaluated {
    let (text, format) = (row.text(0), row.text(1));
    let model = Model::parse(format)?;
    let refused = || format!("firn:100038:Numeric value '{text}' is not recognized");
    let mut rest = text.trim().to_owned();
    if model.has(&Element::Currency) {
        rest = rest.replacen('$', "", 1);
    }
    if model.has(&Element::Group) {
        rest = rest.replace(',', "");
    }
    for element in &model.elements {
        if let Element::Literal(literal) = element {
            rest = rest.replacen(literal.as_str(), "", 1);
        }
    }
    let negative = rest.starts_with('-') || rest.ends_with('-');
    let bare = rest.trim().trim_matches(['-', '+']).trim();
    if model.has(&Element::Hex) {
        let number = i128::from_str_radix(bare, 16).map_err(|_| refused())?;
        return Ok(Answer::Text(if negative { (-number).to_string() } else { number.to_string() }));
    }
    let value = Decimal::read(bare).ok_or_else(refused)?;
    let (whole_places, fraction_places) = model.places();
    let fits = value.whole.len() <= whole_places || value.whole == "0";
    let is_fixed = model.form == Form::Places && !model.has_exponent();
    if is_fixed && (!fits || value.fraction.len() > fraction_places) {
        return Err(refused());
    }
    Ok(Answer::Text(format!("{}{}", if negative { "-" } else { "" }, value.plain())))
}

/// What is left of a number of up to 32 hexadecimal digits, which may be more than the 38 decimal ones of a NUMBER.
fn hexadecimal_remainder(row: &Row<'_>) -> Evaluated {
    let refused = |text: &str| format!("firn:100038:Numeric value '{text}' is not recognized");
    let number = u128::from_str_radix(row.text(0).trim(), 16).map_err(|_| refused(row.text(0)))?;
    let divisor = Decimal::read(row.text(1)).ok_or_else(|| refused(row.text(1)))?;
    if divisor.is_zero() {
        return Err("firn:100051:Division by zero".to_owned());
    }
    let is_whole = divisor.fraction.bytes().all(|digit| digit == b'0');
    let divisor: u128 = if is_whole { divisor.whole.parse().ok() } else { None }.ok_or_else(|| refused(row.text(1)))?;
    Ok(Answer::Text((number % divisor).to_string()))
}

/// A number by its digits.
#[derive(Clone, Debug)]
struct Decimal {
    negative: bool,
    /// Without leading zeros, but `0` when there is nothing else.
    whole: String,
    fraction: String,
}

impl Decimal {
    fn read(text: &str) -> Option<Self> {
        let (text, exponent) = match text.split_once(['e', 'E']) {
            Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let negative = text.starts_with('-');
        let digits = text.trim_start_matches(['-', '+']);
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let all = format!("{whole}{fraction}");
        if all.is_empty() || exponent.abs() > 400 || !all.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let point = whole.len() as i32 + exponent;
        let (whole, fraction) = if point <= 0 {
            (String::new(), format!("{}{all}", "0".repeat(point.unsigned_abs() as usize)))
        } else if point as usize >= all.len() {
            (format!("{all}{}", "0".repeat(point as usize - all.len())), String::new())
        } else {
            (all[..point as usize].to_owned(), all[point as usize..].to_owned())
        };
        let whole = whole.trim_start_matches('0');
        Some(Self { negative, whole: if whole.is_empty() { "0".to_owned() } else { whole.to_owned() }, fraction })
    }

    fn is_zero(&self) -> bool {
        self.whole == "0" && self.fraction.bytes().all(|digit| digit == b'0')
    }

    /// With so many digits behind the point, half rounded away from zero.
    fn rounded(&self, places: usize) -> Self {
        if self.fraction.len() <= places {
            return Self { fraction: format!("{:0<places$}", self.fraction), ..self.clone() };
        }
        let mut digits: Vec<u8> = format!("0{}{}", self.whole, &self.fraction[..places]).into_bytes();
        if self.fraction.as_bytes()[places] >= b'5' {
            for digit in digits.iter_mut().rev() {
                *digit += 1;
                if *digit <= b'9' {
                    break;
                }
                *digit = b'0';
            }
        }
        let split = digits.len() - places;
        let whole = String::from_utf8_lossy(&digits[..split]).trim_start_matches('0').to_owned();
        let fraction = String::from_utf8_lossy(&digits[split..]).into_owned();
        Self { negative: self.negative, whole: if whole.is_empty() { "0".to_owned() } else { whole }, fraction }
    }

    /// One digit before the point and so many behind it, and the power of ten to multiply with.
    fn mantissa(&self, places: usize) -> (Self, i64) {
        let digits = format!("{}{}", self.whole, self.fraction);
        let significant = digits.trim_start_matches('0');
        if significant.is_empty() {
            return (self.rounded(places), 0);
        }
        let exponent = self.whole.len() as i64 - 1 - (digits.len() - significant.len()) as i64;
        let (first, rest) = significant.split_at(1);
        let shifted = Self { negative: self.negative, whole: first.to_owned(), fraction: rest.to_owned() };
        let rounded = shifted.rounded(places);
        if rounded.whole.len() == 1 {
            return (rounded, exponent);
        }
        (Self { whole: "1".to_owned(), ..rounded }, exponent + 1)
    }

    fn sign(&self) -> &'static str {
        if self.negative && !self.is_zero() { "-" } else { "" }
    }

    fn plain(&self) -> String {
        let point = if self.fraction.is_empty() { "" } else { "." };
        format!("{}{}{point}{}", self.sign(), self.whole, self.fraction)
    }

    fn scientific(&self) -> String {
        let digits = format!("{}{}", self.whole, self.fraction);
        let leading = digits.len() - digits.trim_start_matches('0').len();
        let significant = digits.trim_matches('0');
        if significant.is_empty() {
            return "0E0".to_owned();
        }
        let exponent = self.whole.len() as i64 - 1 - leading as i64;
        let (first, rest) = significant.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        format!("{}{first}{point}{rest}E{exponent}", self.sign())
    }
}

#[cfg(test)]
mod tests {
    use super::write;

    #[test]
    fn numbers_follow_the_model() {
        for (number, format, expected) in [
            ("12345.678", "999,999.00", "  12,345.68"),
            ("-12.391", "\">\"$99.0\"<\"", ">-$12.4<"),
            ("0", "\">\"$99.0\"<\"", ">  $0.0<"),
            ("-1", "\">\"$99.0\"<\"", "> -$1.0<"),
            ("3987", "\">\"$99.0\"<\"", "> $##.#<"),
            ("-12.391", "\">\"B9,999.0\"<\"", ">   -12.4<"),
            ("0.1", "\">\"B9,999.0\"<\"", ">      .1<"),
            ("3987", "\">\"B9,999.0\"<\"", "> 3,987.0<"),
            ("-12.391", "\">\"TME\"<\"", ">-1.2391E1<"),
            ("0.01", "TME", "1E-2"),
            ("-12.391", "TM9", "-12.391"),
            ("-12.391", "\">\"0XXX\"<\"", ">FFF4<"),
            ("3987", "0XXX", "0F93"),
            ("3987", "S0XXX", "+0F93"),
            ("12", "FM0000", "0012"),
            ("12.5", "S99.0", "+12.5"),
            ("-12.5", "99.0MI", "12.5-"),
            ("1.005", "FM9.99", "1.01"),
            ("0.5", "0.0", " 0.5"),
            ("1e3", "9999", " 1000"),
            ("123456.789", "9.99EE", " 1.23E5"),
            ("123456.789", "9.99EEE", " 1.23E+5"),
            ("123456.789", "9.99EEEE", " 1.23E+05"),
            ("-0.000999", "0.0EEEEE", "-1.0E-003"),
            ("0", "S9.0EEEE", "+0.0E+00"),
            ("1e12", "9EEE", " 1###"),
        ] {
            assert_eq!(write(number, format).as_deref(), Ok(expected), "{number} as {format}");
        }
        assert!(write("1", "abc").is_err());
    }
}
