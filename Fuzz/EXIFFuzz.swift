import JPEGMetadata
import Models

/// libFuzzer's entry: the input as a JPEG, and as the EXIF structure of one.
///
/// Fields must be within their bounds; a public copy must have no GPS and the same fields, and must be its own public copy.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEXIF(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    inspect(input)
    guard input.count < 65_000 else { return 0 }
    let length = input.count + 8
    let exif: [UInt8] = [0xff, 0xe1, UInt8(length >> 8), UInt8(length & 255)] + Array("Exif\0\0".utf8) + input
    let scan: [UInt8] = [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0x55, 0xff, 0x00, 0xff, 0xd9]
    let jpeg: [UInt8] = [0xff, 0xd8] + exif + scan
    inspect(jpeg)
    precondition((try? JPEGSegments.publicCopy(of: jpeg))?.suffix(scan.count) == scan[...], "a sound photo has no public copy")
    return 0
}

private func inspect(_ jpeg: [UInt8]) {
    guard let fields = EXIFReader.read(jpeg: jpeg) else { return }
    precondition(fields.orientation.map { (1...8).contains($0) } ?? true, "orientation out of range")
    let texts = [fields.make, fields.model, fields.dateTimeOriginal, fields.offsetTimeOriginal, fields.subSecTimeOriginal]
    for text in texts.compactMap({ $0 }) {
        precondition((1...100).contains(text.unicodeScalars.count), "a text out of bounds")
        precondition(!text.unicodeScalars.contains { $0.value < 0x20 }, "a control character")
    }
    guard let copy = try? JPEGSegments.publicCopy(of: jpeg) else { return }
    guard let shown = EXIFReader.read(jpeg: copy) else { preconditionFailure("the copy is no JPEG") }
    precondition(!shown.hasGPS, "GPS in the public copy")
    precondition(shown.model == fields.model && shown.dateTimeOriginal == fields.dateTimeOriginal, "the copy says something else")
    precondition((try? JPEGSegments.publicCopy(of: copy)) == copy, "the copy of the copy differs")
}
