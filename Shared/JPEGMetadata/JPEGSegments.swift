/// Edits the segments of a JPEG without decoding its pixels.
public enum JPEGSegments {
    /// Returns a copy without data that reveal more than the picture: GPS, maker notes, serial numbers, XMP, IPTC, comments, embedded
    /// previews and anything after the image (multi-picture files).
    ///
    /// Only segments that are part of the picture are kept: tables, frames and scans byte for byte, ICC profile, Adobe's colour transform,
    /// the JFIF header without its thumbnail. EXIF is rewritten with the tags of ``EXIFPublicTags``.
    /// - Throws: ``JPEGError`` `corrupt` if segments or scan data are malformed before the end of the image.
    public static func publicCopy(of jpeg: [UInt8]) throws(JPEGError) -> [UInt8] {
        let picture = try JPEGPicture(in: jpeg)
        return try picture.copy(of: jpeg, exif: picture.exif.map(EXIFDirectories.init(publicTagsOf:)))
    }

    /// Returns a photo as a capturing device stores it: the public copy of what its camera made, with time, model, orientation and size
    /// in its EXIF, and with a place only if there is one in the facts.
    /// - Throws: ``JPEGError`` `corrupt` as ``publicCopy(of:)``, and if there is no size before the first scan; `tooLarge` if the model's
    ///   name is not a name.
    public static func capturedCopy(of jpeg: [UInt8], _ facts: CameraFacts) throws(JPEGError) -> [UInt8] {
        let picture = try JPEGPicture(in: jpeg)
        guard let size = picture.size else { throw JPEGError(.corrupt, "no size") }
        var exif = picture.exif.map(EXIFDirectories.init(publicTagsOf:)) ?? EXIFDirectories()
        exif.state(facts, size: size)
        return try picture.copy(of: jpeg, exif: exif)
    }
}
