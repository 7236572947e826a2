package io.encbench.jdbc.generator;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Asks for a class that passes every call of an interface on to another object of it.
 *
 * <p>The class that bears this extends what is generated, which is named after the interface:
 * {@code StatementDelegate} for {@code Statement}. It says in its methods {@code wrap} what stands
 * in for the objects of {@link #wrapped()} that come back, and in {@code opened} what a getter
 * reads.
 */
@Retention(RetentionPolicy.SOURCE)
@Target(ElementType.TYPE)
public @interface Delegating {
  /** The interface. */
  Class<?> value();

  /** The class that passes on what the interface has inherited; Object if nothing does. */
  Class<?> above() default Object.class;

  /** Types that are not handed out as they come. */
  Class<?>[] wrapped() default {};

  /** Whether its getters, which take a column by number or by name, may find an envelope. */
  boolean opens() default false;
}
