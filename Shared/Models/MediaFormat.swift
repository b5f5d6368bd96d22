/// The file formats that can be verified, detected by their first bytes.
public enum MediaFormat: String, Sendable, CaseIterable {
    case jpeg, png, heic, heif, webp, avif, tiff, mp4, mov
    /// A manifest without its file.
    case manifest

    /// The number of bytes that ``sniff(_:)`` examines.
    public static let prefixBytes = 64

    public var mimeType: String {
        switch self {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        case .heic: "image/heic"
        case .heif: "image/heif"
        case .webp: "image/webp"
        case .avif: "image/avif"
        case .tiff: "image/tiff"
        case .mp4: "video/mp4"
        case .mov: "video/quicktime"
        case .manifest: "application/c2pa"
        }
    }

    public var isVideo: Bool { self == .mp4 || self == .mov }

    /// Detects the format by magic numbers: JPEG (SOI), PNG, RIFF WEBP, TIFF of both byte orders, ISO base media by the brands of `ftyp`
    /// (ISO/IEC 14496-12 §4.3), JUMBF (ISO/IEC 19566-5). `nil` for anything else.
    public static func sniff(_ prefix: [UInt8]) -> MediaFormat? {
        func holds(_ bytes: [UInt8], at offset: Int = 0) -> Bool {
            prefix.count >= offset + bytes.count && prefix[offset..<offset + bytes.count].elementsEqual(bytes)
        }
        if holds([0xff, 0xd8, 0xff]) { return .jpeg }
        if holds([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) { return .png }
        if holds(Array("RIFF".utf8)), holds(Array("WEBP".utf8), at: 8) { return .webp }
        if holds([0x49, 0x49, 0x2a, 0x00]) || holds([0x4d, 0x4d, 0x00, 0x2a]) { return .tiff }
        if holds(Array("jumb".utf8), at: 4) { return .manifest }
        guard holds(Array("ftyp".utf8), at: 4) else {
            // Old QuickTime files without `ftyp`.
            return ["moov", "mdat", "wide"].contains { holds(Array($0.utf8), at: 4) } ? .mov : nil
        }
        // The major brand is at offset 8, compatible brands start at 16.
        let brands = ([8] + Array(stride(from: 16, to: prefixBytes, by: 4))).compactMap { offset in
            prefix.count >= offset + 4 ? String(decoding: prefix[offset..<offset + 4], as: UTF8.self) : nil
        }
        guard let major = brands.first else { return nil }
        if major == "qt  " { return .mov }
        if ["avif", "avis"].contains(major) { return .avif }
        if ["heic", "heix", "heim", "heis", "hevc", "hevx"].contains(major) { return .heic }
        if ["mif1", "msf1"].contains(major) {
            if brands.contains("avif") { return .avif }
            return brands.contains { $0.hasPrefix("hei") } ? .heic : .heif
        }
        return .mp4
    }
}
