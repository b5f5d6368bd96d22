/// The EXIF tags kept in a public copy (CIPA DC-008): how the picture was taken, not where, by whom or with which device.
///
/// An allowlist, so that unforeseen tags are removed: GPS, maker notes, serial numbers, owner, unique id, comments, previews.
enum EXIFPublicTags {
    /// Make, Model, Orientation, resolution, Software, DateTime, YCbCrPositioning.
    static let main: [Int] = [0x010f, 0x0110, 0x0112, 0x011a, 0x011b, 0x0128, 0x0131, 0x0132, 0x0213]

    /// Exposure, aperture, sensitivity, times with their offsets, metering, flash, focal lengths, size, lens make and model.
    static let photo: [Int] = [
        0x829a, 0x829d, 0x8822, 0x8827, 0x9000, 0x9003, 0x9004, 0x9010, 0x9011, 0x9012, 0x9201, 0x9202, 0x9203, 0x9204, 0x9207,
        0x9208, 0x9209, 0x920a, 0x9290, 0x9291, 0x9292, 0xa001, 0xa002, 0xa003, 0xa217, 0xa402, 0xa403, 0xa404, 0xa405, 0xa406,
        0xa432, 0xa433, 0xa434,
    ]
}
