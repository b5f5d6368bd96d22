import Evidence
import MediaStore
import Movie

extension AcceptedVideo {
    /// What the file says, for the evidence.
    var facts: MovieFacts {
        let format = movie.video.format
        let sound = movie.sound?.format.codecString
        return MovieFacts(
            durationMilliseconds: movie.durationMilliseconds, frameCount: movie.video.samples.count,
            codec: format.codec.name, width: Int(format.width), height: Int(format.height),
            rotation: Int(format.rotation.rawValue), hasAudio: movie.sound != nil, creationDate: movie.quickTimeCreationDate,
            createdAt: movie.createdAt, model: movie.quickTimeModel,
            codecs: format.codecString.map { picture in sound.map { "\(picture),\($0)" } ?? picture })
    }
}
