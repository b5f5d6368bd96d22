import CAVCodec
import VideoDecoding

/// A frame as red, green and blue, reduced: ITU-R BT.709, BT.2020 or BT.601, of limited or full range, in fixed-point arithmetic.
enum PosterPicture {
    static func record(_ frame: Frame, maxSide: Int) throws -> DecodedRecord {
        let planes = try frame.planes()
        let size = PlaneScaler.size(of: (frame.width, frame.height), within: maxSide)
        let scaler = PlaneScaler(width: size.width, height: size.height)
        let luma = scaler.scale(planes[0])
        let colours = planes.count == 3 ? (blue: scaler.scale(planes[1]), red: scaler.scale(planes[2])) : nil
        let matrix = ColourMatrix(frame)
        let count = luma.count
        let pixels = [UInt8](unsafeUninitializedCapacity: count * 3) { output, initialized in
            for place in 0..<count {
                let (red, green, blue) = matrix.convert(
                    Int(luma[place]), Int(colours?.blue[place] ?? 128), Int(colours?.red[place] ?? 128))
                output[place * 3] = red
                output[place * 3 + 1] = green
                output[place * 3 + 2] = blue
            }
            initialized = count * 3
        }
        return .poster(width: size.width, height: size.height, pixels: pixels)
    }
}

/// Coefficients in units of 1 / 65,536.
private struct ColourMatrix {
    private let black: Int
    private let luma: Int
    private let redOfRed: Int
    private let greenOfBlue: Int
    private let greenOfRed: Int
    private let blueOfBlue: Int

    private enum Standard { case bt601, bt709, bt2020 }

    /// What the stream says; without a word BT.709 from 720 rows on.
    init(_ frame: Frame) {
        let isFull = frame.pointer.pointee.color_range == AVCOL_RANGE_JPEG
        (black, luma) = isFull ? (0, 65_536) : (16, 76_309)
        switch (Self.standard(of: frame), isFull) {
        case (.bt709, false): (redOfRed, greenOfBlue, greenOfRed, blueOfBlue) = (117_489, 13_975, 34_925, 138_438)
        case (.bt709, true): (redOfRed, greenOfBlue, greenOfRed, blueOfBlue) = (103_206, 12_276, 30_679, 121_609)
        case (.bt2020, false): (redOfRed, greenOfBlue, greenOfRed, blueOfBlue) = (110_014, 12_277, 42_626, 140_363)
        case (.bt2020, true): (redOfRed, greenOfBlue, greenOfRed, blueOfBlue) = (96_639, 10_784, 37_444, 123_299)
        case (.bt601, false): (redOfRed, greenOfBlue, greenOfRed, blueOfBlue) = (104_597, 25_675, 53_279, 132_201)
        case (.bt601, true): (redOfRed, greenOfBlue, greenOfRed, blueOfBlue) = (91_881, 22_554, 46_802, 116_130)
        }
    }

    private static func standard(of frame: Frame) -> Standard {
        switch frame.pointer.pointee.colorspace {
        case AVCOL_SPC_BT709: .bt709
        case AVCOL_SPC_BT2020_NCL: .bt2020
        case AVCOL_SPC_UNSPECIFIED: min(frame.width, frame.height) >= 720 ? .bt709 : .bt601
        default: .bt601
        }
    }

    func convert(_ y: Int, _ blue: Int, _ red: Int) -> (UInt8, UInt8, UInt8) {
        let (bright, blue, red) = ((y - black) * luma, blue - 128, red - 128)
        func byte(_ value: Int) -> UInt8 { UInt8(max(0, min(255, (value + 32_768) >> 16))) }
        return (
            byte(bright + redOfRed * red), byte(bright - greenOfBlue * blue - greenOfRed * red), byte(bright + blueOfBlue * blue)
        )
    }
}
