import Depth
import Imaging
import JPEGMetadata
import Models

/// The preview of a depth map.
struct DrawnDepth: Sendable {
    /// Quarter turns clockwise that bring the map upright, 0...3.
    let rotation: Int
    let scale: DepthPreviewScale
    let picture: EncodedPicture

    /// - Parameter photo: its size as stored. The preview is laid over the photo, so it gets the photo's aspect ratio if that can be read.
    init(_ map: DepthMap, _ rotation: Int, of surface: FittedDepth, photo: (width: Int, height: Int)?, _ exif: EXIFFields?) throws {
        let aspect = photo.map { EXIFReader.upright($0, orientation: exif?.orientation) }
        let isMirrored = surface.isMirrored(photo: photo, exifOrientation: exif?.orientation)
        let file = try DepthPreview.file(depth: map, rotation: rotation, isMirrored: isMirrored, aspect: aspect) { picture in
            try PNGEncoder.encode(width: picture.width, height: picture.height, indices: picture.indices, palette: picture.palette)
        }
        self.rotation = rotation
        scale = file.scale
        picture = EncodedPicture(bytes: file.bytes, pixels: PixelSize(file.width, file.height))
    }
}
