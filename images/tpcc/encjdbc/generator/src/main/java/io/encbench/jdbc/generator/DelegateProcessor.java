package io.encbench.jdbc.generator;

import java.io.IOException;
import java.io.Writer;
import java.util.List;
import java.util.Set;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.RoundEnvironment;
import javax.annotation.processing.SupportedAnnotationTypes;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.MirroredTypeException;
import javax.lang.model.type.MirroredTypesException;
import javax.lang.model.type.TypeMirror;
import javax.tools.Diagnostic;

/**
 * Writes the classes that {@link Delegating} asks for.
 *
 * <p>As an annotation processor it reads the interfaces as the compiler does: those of the release
 * that is compiled for, whichever JDK does it. What JDBC gains with a later release is therefore
 * passed on, or does not compile, from the day on which the release is raised.
 */
@SupportedAnnotationTypes("io.encbench.jdbc.generator.Delegating")
public final class DelegateProcessor extends AbstractProcessor {
  @Override
  public SourceVersion getSupportedSourceVersion() {
    return SourceVersion.latest();
  }

  @Override
  public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
    for (Element element : round.getElementsAnnotatedWith(Delegating.class)) {
      try {
        generate((TypeElement) element);
      } catch (IOException error) {
        processingEnv
            .getMessager()
            .printMessage(Diagnostic.Kind.ERROR, "cannot write: " + error.getMessage(), element);
      }
    }
    return true;
  }

  private void generate(TypeElement asking) throws IOException {
    Delegating wish = asking.getAnnotation(Delegating.class);
    TypeElement of = element(mirror(wish::value));
    TypeElement above = element(mirror(wish::above));
    DelegateSource source =
        new DelegateSource(
            processingEnv.getElementUtils(),
            processingEnv.getElementUtils().getPackageOf(asking).getQualifiedName().toString(),
            of,
            above,
            mirrors(wish::wrapped).stream().map(TypeMirror::toString).toList(),
            wish.opens());
    try (Writer writer =
        processingEnv.getFiler().createSourceFile(source.qualifiedName(), asking).openWriter()) {
      writer.write(source.text());
    }
  }

  private TypeElement element(TypeMirror type) {
    return (TypeElement) processingEnv.getTypeUtils().asElement(type);
  }

  /** A processor learns the classes in an annotation only from exceptions. */
  private static TypeMirror mirror(Runnable ask) {
    try {
      ask.run();
    } catch (MirroredTypeException answer) {
      return answer.getTypeMirror();
    }
    throw new IllegalStateException("the compiler has loaded a class that it compiles");
  }

  private static List<? extends TypeMirror> mirrors(Runnable ask) {
    try {
      ask.run();
    } catch (MirroredTypesException answer) {
      return answer.getTypeMirrors();
    }
    return List.of();
  }
}
