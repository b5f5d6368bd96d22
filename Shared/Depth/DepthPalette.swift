import Foundation

/// The colours of depth pictures, from light and warm (near) to dark and cool (far).
///
/// Colours between the stops are interpolated in OKLab (B. Ottosson, 2020), so that equal steps look equal. There is no green, which could
/// be read as a verdict, and no grey, which means "no measurement".
enum DepthPalette {
    static let levels = 64
    static let darkStripe = UInt8(levels)
    static let lightStripe = UInt8(levels + 1)

    /// `levels` colours from near to far, then two greys.
    static let bytes: [UInt8] = {
        let stops: [UInt32] = [
            0xFBF0BA, 0xFAC870, 0xF79A4B, 0xE86D4C, 0xCA4861, 0x9A3477, 0x64297A, 0x361E66, 0x151240,
        ]
        let colours = stops.map(OKLab.init(srgb:))
        var bytes: [UInt8] = []
        for level in 0..<levels {
            let position = Double(level) / Double(levels - 1) * Double(colours.count - 1)
            let index = min(Int(position), colours.count - 2)
            bytes += colours[index].mixed(with: colours[index + 1], share: position - Double(index)).srgb
        }
        return bytes + [0x8D, 0x91, 0x96, 0xC3, 0xC6, 0xC9]
    }()
}

/// A colour in OKLab.
private struct OKLab {
    var lightness: Double
    var a: Double
    var b: Double

    init(srgb: UInt32) {
        let (red, green, blue) = (Self.linear(srgb >> 16), Self.linear(srgb >> 8), Self.linear(srgb))
        let l = cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
        let m = cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
        let s = cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
        lightness = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s
        a = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s
        b = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s
    }

    func mixed(with other: OKLab, share: Double) -> OKLab {
        var mix = self
        mix.lightness += (other.lightness - lightness) * share
        mix.a += (other.a - a) * share
        mix.b += (other.b - b) * share
        return mix
    }

    var srgb: [UInt8] {
        let l = Self.cube(lightness + 0.3963377774 * a + 0.2158037573 * b)
        let m = Self.cube(lightness - 0.1055613458 * a - 0.0638541728 * b)
        let s = Self.cube(lightness - 0.0894841775 * a - 1.2914855480 * b)
        return [
            Self.encoded(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
            Self.encoded(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
            Self.encoded(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s),
        ]
    }

    private static func cube(_ value: Double) -> Double { value * value * value }

    /// IEC 61966-2-1.
    private static func linear(_ bits: UInt32) -> Double {
        let value = Double(bits & 0xFF) / 255
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    private static func encoded(_ value: Double) -> UInt8 {
        let linear = min(max(value, 0), 1)
        let encoded = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055
        return UInt8((encoded * 255).rounded())
    }
}
